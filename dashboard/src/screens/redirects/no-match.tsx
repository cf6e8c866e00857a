import { countRedirects } from '../../api/redirects.ts';
import { askedUrl } from '../../asked-url.ts';
import { counted } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { NO_FILTER, type View } from './view.ts';

type Filter = View['filter'];

/** The empty list of a search or of filters: which of them leaves none, and what else to try. */
export function NoMatch({ filter }: { filter: Filter }) {
  const { q, website_id } = filter;
  const parts = partsOf(filter);
  const search: Part = { name: 'the search', parameters: { q: undefined }, without: { ...filter, q: undefined } };
  const removable = q === undefined ? parts : [search, ...parts];
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
      {q !== undefined && 'Search finds text in source and target paths.'}
    </Empty>
  );
}

/** A filter that is on, the parameters of the URL that it has, and the list without it. */
interface Part {
  name: string;
  parameters: Partial<Record<keyof typeof NO_FILTER, undefined>>;
  without: Filter;
}

/** The filters that are on, the search excepted. */
function partsOf(filter: Filter): Part[] {
  const { environment, status_code: status, is_regex: isRegex, group, notes, last_hit_before: before } = filter;
  const part = (name: string, parameter: keyof typeof NO_FILTER, ...fields: (keyof Filter)[]): Part => ({
    name,
    parameters: { [parameter]: undefined },
    without: { ...filter, ...Object.fromEntries(fields.map((field) => [field, undefined])) },
  });
  return [
    ...(environment ? [part(ENVIRONMENT_LABEL[environment].toLowerCase(), 'environment', 'environment')] : []),
    ...(status === undefined ? [] : [part(`status ${status}`, 'status_code', 'status_code')]),
    ...(isRegex === undefined ? [] : [part(isRegex ? 'patterns' : 'paths', 'is_regex', 'is_regex')]),
    ...(group === undefined ? [] : [part(group === '' ? 'no group' : `group “${group}”`, 'group', 'group')]),
    ...(notes === undefined ? [] : [part(`notes “${notes}”`, 'notes', 'notes')]),
    ...(before === undefined
      ? []
      : [part(`unused since ${before}`, 'not_followed', 'last_hit_before', 'created_before')]),
  ];
}

/** Buttons that remove one filter each, if redirects match without it. Counts are optional, so errors are ignored. */
function Without({ filter, parts }: { filter: Filter; parts: readonly Part[] }) {
  const counts = useResource(JSON.stringify(['without', filter]), (signal) =>
    Promise.all(parts.map(({ without }) => countRedirects(without, signal))),
  );
  const found = parts.flatMap((part, at) => ({ ...part, count: counts.data.value?.[at]?.count ?? 0 }));
  return found
    .filter(({ count }) => count > 0)
    .map(({ name, parameters, count }) => (
      <Button key={name} onClick={() => setQuery(parameters)}>
        Without {name}: {counted(count, 'redirect')}
      </Button>
    ));
}
