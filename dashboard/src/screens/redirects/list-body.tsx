import type { Ref } from 'preact';
import { setQuery } from '../../router.ts';
import { currentWebsite } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { askedUrl } from '../../asked-url.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Grid } from './grid.tsx';
import type { GridModel } from './grid-model.ts';
import { isFiltered, NO_FILTER, type View } from './view.ts';

/** The list, or its empty, loading or failed state. */
export function ListBody({ model, view, gridRef }: { model: GridModel; view: View; gridRef: Ref<HTMLDivElement> }) {
  const { list } = model;
  if (list.rows.value.length > 0) return <Grid model={model} gridRef={gridRef} />;
  if (list.error.value) {
    return (
      <div class="page">
        <Problem error={list.error.value} onRetry={() => list.retry()} />
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
  return isFiltered(view) ? <NoMatch filter={view.filter} /> : <NoRedirects mayEdit={model.mayEdit} />;
}

function NoMatch({ filter }: { filter: View['filter'] }) {
  const { q, website_id } = filter;
  const names = filterNames(filter);
  const asked = q === undefined ? undefined : askedUrl(q, [], undefined);
  return (
    <Empty
      icon="search"
      title={q === undefined ? 'No matching redirects' : `No redirects match “${q}”`}
      actions={
        <>
          <Button onClick={() => setQuery(NO_FILTER)}>Clear search and filters</Button>
          {asked && q !== undefined && (
            <LinkButton href={`/websites/${website_id}/tester?url=${encodeURIComponent(q)}`}>Test this URL</LinkButton>
          )}
          {q !== undefined && !asked && (
            <Button onClick={() => setQuery({ q: undefined, notes: q })}>Search notes</Button>
          )}
        </>
      }
    >
      {names.length > 0 && `${names.length === 1 ? 'Filter' : 'Filters'}: ${names.join(', ')}. `}
      {q !== undefined && 'Search finds text in source and target paths.'}
    </Empty>
  );
}

/** The filters that are on, the search excepted. */
function filterNames(filter: View['filter']): string[] {
  const { environment, status_code: status, is_regex: isRegex, group, notes, last_hit_before: before } = filter;
  return [
    ...(environment ? [ENVIRONMENT_LABEL[environment].toLowerCase()] : []),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(isRegex === undefined ? [] : [isRegex ? 'patterns' : 'paths']),
    ...(group === undefined ? [] : [group === '' ? 'no group' : `group “${group}”`]),
    ...(notes === undefined ? [] : [`notes “${notes}”`]),
    ...(before === undefined ? [] : [`unused since ${before}`]),
  ];
}

function NoRedirects({ mayEdit }: { mayEdit: boolean }) {
  const id = currentWebsite.value?.id;
  return (
    <Empty
      icon="redirects"
      title="No redirects yet"
      actions={
        mayEdit && (
          <>
            <Button kind="primary" icon="plus" onClick={() => setQuery({ new: '/' })}>
              New redirect
            </Button>
            <LinkButton href={`/websites/${id}/import`}>Import a file</LinkButton>
          </>
        )
      }
    >
      A redirect sends visitors of an old path to a new one. Create your first redirect, or import a CSV file from any
      tool.
    </Empty>
  );
}
