import { STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import { query, setQuery } from '../../router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { Select } from '../../ui/form/field.tsx';
import { SearchField } from '../../ui/form/query-fields.tsx';
import { ColumnsMenu } from './list/columns-menu.tsx';
import { GroupFilter } from './group-filter.tsx';
import { isCompact, isNarrow, setCompact } from './list/grid-model.ts';
import { isFiltered, NO_FILTER, UNUSED_DAYS, unusedDays, sortsOf, type View } from './view.ts';

/** Search and filters, each a query parameter. `onDown` focuses the list. */
export function Toolbar({ view, onDown }: { view: View; onDown: () => void }) {
  const { filter, sort, hasHits } = view;
  return (
    <div class="toolbar" role="search">
      <SearchField q={filter.q ?? ''} placeholder="Search paths" onDown={onDown} />
      <div class="filters row shrink">
        <Select
          aria-label="Environment"
          value={filter.environment ?? ''}
          options={[['', 'Environment'], ...ENVIRONMENT_OPTIONS]}
          onChoose={(environment) => setQuery({ environment })}
        />
        <Select
          aria-label="Status"
          value={filter.status_code === undefined ? '' : String(filter.status_code)}
          options={[['', 'Status'], ...STATUS_CODES.map((code) => [String(code), String(code)] as const)]}
          onChoose={(status_code) => setQuery({ status_code })}
        />
        <Select
          aria-label="Type"
          value={filter.is_regex === undefined ? '' : String(filter.is_regex)}
          options={[
            ['', 'Type'],
            ['false', 'Paths'],
            ['true', 'Patterns'],
          ]}
          onChoose={(is_regex) => setQuery({ is_regex })}
        />
        <GroupFilter websiteId={filter.website_id} group={filter.group} />
        {hasHits && (
          <Select
            aria-label="Usage"
            value={unusedDays(query.value) ?? ''}
            options={[['', 'Usage'], ...UNUSED_DAYS.map((days) => [days, `Unused for ${days} days`] as const)]}
            onChoose={(not_followed) => setQuery({ not_followed })}
          />
        )}
        <Select
          aria-label="Order"
          value={sort}
          options={sortsOf(hasHits)}
          onChoose={(next) => setQuery({ sort: next })}
        />
        {filter.notes !== undefined && (
          <Button size="small" icon="close" onClick={() => setQuery({ notes: undefined })}>
            Notes: {filter.notes}
          </Button>
        )}
        {!isNarrow.value && (
          <>
            <IconButton
              label="Compact rows"
              icon="rows"
              aria-pressed={isCompact.value}
              onClick={() => setCompact(!isCompact.value)}
            />
            <ColumnsMenu hasHits={hasHits} />
          </>
        )}
        {/* Keeps its place, so that a filter moves nothing. */}
        <Button
          kind="quiet"
          size="small"
          aria-label="Clear filters"
          style={{ visibility: isFiltered(view) ? 'visible' : 'hidden' }}
          onClick={() => setQuery(NO_FILTER)}
        >
          Clear
        </Button>
      </div>
    </div>
  );
}
