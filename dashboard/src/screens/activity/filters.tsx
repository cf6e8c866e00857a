import { ACTIVITY_KINDS, type ActivityKind } from '../../../../src/vocabulary/kinds.ts';
import { go, query, setQuery, urlWith } from '../../router.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { QueryDays, startOfDay } from '../../ui/form/query-days.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { TextFilter } from '../../ui/form/text-filter.tsx';
import { pathOf } from '../../urls.ts';

const KIND_LABELS: Record<ActivityKind, string> = {
  create: 'Created',
  update: 'Edited',
  delete: 'Deleted',
  bulk_update: 'Edited in bulk',
  bulk_delete: 'Deleted in bulk',
  import: 'Imports',
  sync: 'Syncs',
  promote: 'Promotions',
  flatten: 'Flattened chains',
  restore: 'Restored',
  discard: 'Discarded',
  undo: 'Undone',
  deployment: 'Deployments',
  settings: 'Settings',
};

const NAMES = ['kind', 'actor', 'path', 'since', 'until'];

/** The filters in the URL; undefined: not set. */
export function filtersIn(parameters: URLSearchParams) {
  return {
    kind: ACTIVITY_KINDS.find((each) => each === parameters.get('kind')),
    actor: parameters.get('actor') ?? undefined,
    old_path: parameters.get('path') ?? undefined,
    since: startOfDay(parameters.get('since')),
    until: startOfDay(parameters.get('until'), 1),
  };
}

export const isFiltered = (filters: ReturnType<typeof filtersIn>): boolean =>
  Object.values(filters).some((value) => value !== undefined);

export const clearFilters = (): void => setQuery(Object.fromEntries(NAMES.map((name) => [name, undefined])));

/** `websiteId` undefined: all. `people`: names to choose from. */
export function Filters({ websiteId, people }: { websiteId: number | undefined; people: readonly string[] }) {
  const filters = filtersIn(query.value);
  return (
    <FilterBar
      names={NAMES}
      search={
        <Select
          aria-label="Website"
          value={websiteId ?? 0}
          options={[[0, 'All websites'], ...(websites.value ?? []).map(({ id, name }) => [id, name] as const)]}
          onChoose={(id) => go(urlWith({ change: undefined }, id === 0 ? '/activity' : `/websites/${id}/activity`))}
        />
      }
    >
      <QuerySelect
        label="Kind"
        name="kind"
        value={filters.kind ?? ''}
        options={[['', 'Everything'], ...ACTIVITY_KINDS.map((kind) => [kind, KIND_LABELS[kind]] as const)]}
      />
      <TextFilter
        label="Person or API key"
        value={filters.actor ?? ''}
        choices={people}
        isLive
        onEnter={(actor) => setQuery({ actor }, { replace: true })}
      />
      <TextFilter
        label="Path of a redirect"
        isCode
        value={filters.old_path ?? ''}
        onEnter={(path) => setQuery({ path: pathOf(path) })}
      />
      <QueryDays />
      {isFiltered(filters) && (
        <Button kind="quiet" icon="close" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
    </FilterBar>
  );
}
