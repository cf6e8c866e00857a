import type { Ref } from 'preact';
import { Problem, Skeleton } from '../../../ui/page/states.tsx';
import { Grid } from './grid.tsx';
import type { GridModel } from './grid-model.ts';
import { FolderLines } from './list-header.tsx';
import type { RedirectList } from './redirect-list.ts';
import { NoMatch } from '../parts.ts';
import { isFiltered, type View } from '../view.ts';

/** The website is known to have no redirects. */
export const hasNone = ({ rows, error, isLoading }: RedirectList, view: View): boolean =>
  rows.value.length === 0 && !error.value && !isLoading.value && !isFiltered(view);

/** The list, or its empty, loading or failed state. */
export function ListBody({ model, view, gridRef }: { model: GridModel; view: View; gridRef: Ref<HTMLDivElement> }) {
  const { list } = model;
  if (list.rows.value.length > 0) {
    return (
      <>
        {list.isBehind() && list.error.value && (
          <div class="list-problem">
            <Problem error={list.error.value} onRetry={list.retry} />
            <p class="small muted">These are the previous results.</p>
          </div>
        )}
        <FolderLines list={list} />
        <Grid model={model} gridRef={gridRef} />
      </>
    );
  }
  if (list.error.value) {
    return (
      <div class="page">
        <Problem error={list.error.value} onRetry={list.retry} />
      </div>
    );
  }
  if (list.isLoading.value) {
    return (
      <div class="grid-skeleton">
        <Skeleton lines={9} />
      </div>
    );
  }
  return <NoMatch filter={view.filter} />;
}
