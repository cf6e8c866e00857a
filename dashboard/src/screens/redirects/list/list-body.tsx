import { STATES } from '../../../checks/states.ts';
import type { Ref } from 'preact';
import { countRedirects } from '../../../api/redirects.ts';
import { askedUrl } from '../../../asked-url.ts';
import { counted, dayOf } from '../../../format.ts';
import { setQuery } from '../../../router.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { mayEdit } from '../../../state/session.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { Empty, Problem, Skeleton } from '../../../ui/page/states.tsx';
import { Grid } from './grid.tsx';
import type { GridModel } from './grid-model.ts';
import { FolderLines } from './list-header.tsx';
import type { RedirectList } from './redirect-list.ts';
import { isFiltered, NO_FILTER, type View } from '../view.ts';

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
            <Problem error={list.error.value} onRetry={() => list.retry()} />
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
  return hasNone(list, view) ? <NoRedirects /> : <NoMatch filter={view.filter} />;
}

function NoRedirects() {
  const id = currentWebsite.value?.id;
  return (
    <Empty
      icon="redirects"
      title="No redirects yet"
      actions={
        mayEdit.value && (
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

type Filter = View['filter'];

/** The empty list of a search or of filters: which of them leaves none, and what else to try. */
function NoMatch({ filter }: { filter: Filter }) {
  const { q, website_id } = filter;
  const removable = partsOf(filter);
  const parts = removable.filter(({ parameter }) => parameter !== 'q');
  const asked = q === undefined ? undefined : askedUrl(q, [], undefined);
  return (
    <Empty
      icon="search"
      title={q === undefined ? 'No matching redirects' : `No redirects match “${q}”`}
      actions={
        <>
          {removable.length > 1 && <Without filter={filter} parts={removable} />}
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
      {parts.length > 0 &&
        `${parts.length === 1 ? 'Filter' : 'Filters'}: ${parts.map(({ name }) => name).join(', ')}. `}
      {filter.last_hit_before && 'Newer redirects do not count as unused. '}
      {q !== undefined && 'Search finds text in source and target paths.'}
    </Empty>
  );
}

/** A filter that is on, its parameter of the URL, and the list without it. */
interface Part {
  name: string;
  parameter: string;
  without: Filter;
}

const targetLabel = (state: NonNullable<Filter['target_state']>): string =>
  (state === 'broken' || state === 'unchecked' ? state : STATES[state].label).toLowerCase();

/** The search, and then the filters that are on. */
export function partsOf(filter: Filter): Part[] {
  const { q, environment, status_code: status, is_regex: isRegex, group, notes, last_hit_before: before } = filter;
  const { target_state: state, new_path_contains: target } = filter;
  const names: Partial<Record<keyof typeof NO_FILTER, string | undefined>> = {
    q: q && 'the search',
    environment: environment && ENVIRONMENT_LABEL[environment].toLowerCase(),
    status_code: status === undefined ? undefined : `status ${status}`,
    is_regex: isRegex === undefined ? undefined : isRegex ? 'patterns' : 'paths',
    group: group === '' ? 'no group' : group && `group “${group}”`,
    notes: notes && `notes “${notes}”`,
    new_path_contains: target && `targets with “${target}”`,
    schedule: filter.schedule && `schedule ${filter.schedule === 'any' ? 'of any kind' : filter.schedule}`,
    target_state: state && `target ${targetLabel(state)}`,
    not_followed: before && `unused since ${dayOf(before)}`,
  };
  return Object.entries(names).flatMap(([parameter, name]) => {
    if (name === undefined) return [];
    const dates = parameter === 'not_followed' && { last_hit_before: undefined, created_before: undefined };
    return [{ name, parameter, without: { ...filter, [parameter]: undefined, ...dates } }];
  });
}

/** Buttons that remove one filter each, if redirects match without it. Counts are optional, so errors are ignored. */
function Without({ filter, parts }: { filter: Filter; parts: readonly Part[] }) {
  const counts = useResource(JSON.stringify(['without', filter]), (signal) =>
    Promise.all(parts.map(({ without }) => countRedirects(without, signal))),
  );
  const found = parts.flatMap((part, at) => ({ ...part, count: counts.data.value?.[at]?.count ?? 0 }));
  return found
    .filter(({ count }) => count > 0)
    .map(({ name, parameter, count }) => (
      <Button key={name} onClick={() => setQuery({ [parameter]: undefined })}>
        Without {name}: {counted(count, 'redirect')}
      </Button>
    ));
}
