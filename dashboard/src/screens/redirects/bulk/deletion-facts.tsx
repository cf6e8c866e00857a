import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { filteredExportUrl } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { planHas } from '../../../state/session.ts';
import { LinkButton } from '../../../ui/button.tsx';
import type { GridModel } from '../list/grid-model.ts';
import { environmentsOf } from '../view.ts';

interface Props {
  model: GridModel;
  /** the names of the filters that are on */
  filters: readonly string[];
}

/** The filters of the list, the environments and hits of the loaded rows that are deleted, and a download of the list. */
export function DeletionFacts({ model: { list, selection, view }, filters }: Props) {
  const rows = list.rows.value.filter(({ id }) => selection.has(id));
  const live = rows.flatMap(environmentsOf);
  // The filter has selected them by their hits, also those that are not loaded.
  const areUnused = view.filter.last_hit_before !== undefined;
  const hits = rows.reduce((sum, row) => sum + (row.hits ?? 0), 0);
  return (
    <>
      <ul>
        {filters.length > 0 && <li>Filters: {filters.join(', ')}</li>}
        <li>Environments: {ENVIRONMENTS.filter((each) => live.includes(each)).join(', ') || 'none'}</li>
        {view.hasHits && !areUnused && <li>{counted(hits, 'hit')} in 30 days</li>}
        {rows.length !== selection.count() && (
          <li>
            Only {number(rows.length)} are loaded: the others may have more{areUnused && ' environments'}
          </li>
        )}
      </ul>
      {planHas('apiAccess') && (
        <p>
          <LinkButton size="small" icon="import" download href={filteredExportUrl('csv', view.filter)}>
            Download the list first
          </LinkButton>
        </p>
      )}
    </>
  );
}
