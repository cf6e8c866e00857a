import { countRedirects, testUrl } from '../../../api/redirects.ts';
import { type AskedUrl, askedUrl } from '../../../asked-url.ts';
import type { Website } from '../../../api/client/wire.ts';
import { counted } from '../../../format.ts';
import { setQuery } from '../../../router.ts';
import { useAnswer } from '../../../state/resource/use-answer.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { mayEdit } from '../../../state/session.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/page/states.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { readLine } from '../../../ui/form/query-line.ts';
import { redirectUrl } from '../../../urls.ts';
import { NO_FILTER, REDIRECT_TOKENS } from '../view.ts';
import { meantBy, unknownFilter } from './meant.ts';
import { type Filter, type Part, partsOf } from './filter-parts.ts';

/** The empty list: which of the search and the filters leaves none, and what else to try. */
export function NoMatch({ filter }: { filter: Filter }) {
  const { q, website_id } = filter;
  const removable = partsOf(filter);
  if (removable.length === 0) return <NoRedirects />;
  const parts = removable.filter(({ parameter }) => parameter !== 'q');
  const website = currentWebsite.value;
  const unknown = unknownFilter(REDIRECT_TOKENS, q ?? '');
  const meant = q === undefined ? undefined : meantBy(REDIRECT_TOKENS, q);
  const asked = q === undefined || !website ? undefined : askedUrl(q, [website], website);
  return (
    <Empty
      icon="search"
      title={q === undefined ? 'No matching redirects' : `No redirects match “${q}”`}
      actions={
        <>
          {meant !== undefined && <Button onClick={() => searchFor(meant)}>Did you mean {meant}?</Button>}
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
      {website && asked?.website && <AnsweringRule asked={asked} website={website} />}
      {unknown !== undefined &&
        `“${unknown}:” is not a filter. Filters are ${Object.keys(REDIRECT_TOKENS).join(', ')}. `}
      {q !== undefined && 'Search finds text in source and target paths.'}
    </Empty>
  );
}

function searchFor(line: string): void {
  const { parameters, search } = readLine(REDIRECT_TOKENS, line, true);
  setQuery({ ...parameters, q: search || undefined });
}

/** The redirect that answers a URL although no path or target has its text, such as one with a query. */
function AnsweringRule({ asked: { environment, path }, website }: { asked: AskedUrl; website: Website }) {
  const { answer, isOwn } = useAnswer(
    `${website.id} ${environment} ${path}`,
    (signal) => testUrl({ website_id: website.id, environment, against: 'live', url: path }, signal),
    0,
  );
  if (!isOwn || !answer?.match) return null;
  const { redirect_id: id, old_path: source, status_code: status, location } = answer.match;
  return (
    <p class="break">
      In {environment},{' '}
      <a class="mono" href={redirectUrl(website.id, id)}>
        <WrappedPath path={source} />
      </a>{' '}
      answers it: {status} <span class="mono">{location !== null && <WrappedPath path={location} />}</span>
    </p>
  );
}

/** Buttons that remove one filter each, if redirects match without it. Counts are optional, so errors are ignored. */
function Without({ filter, parts }: { filter: Filter; parts: readonly Part[] }) {
  const counts = useResource(JSON.stringify(['without', filter]), (signal) =>
    Promise.all(parts.map(({ without }) => countRedirects(without, signal))),
  );
  const found = parts.flatMap((part, at) => ({ ...part, count: counts.data.value?.[at]?.count ?? 0 }));
  return found
    .filter(({ count }) => count > 0)
    .map(({ name, excluded, parameter, count }) => (
      <Button key={name} onClick={() => setQuery({ [parameter]: undefined })}>
        {parameter === 'q' ? 'Without the search' : excluded ? `Also ${excluded}` : `Without ${name}`}:{' '}
        {counted(count, 'redirect')}
      </Button>
    ));
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
      A redirect sends visitors of an old path to a new one. Create the first one, or import a file of any tool.
    </Empty>
  );
}
