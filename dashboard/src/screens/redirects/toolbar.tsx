import { useSignal } from '@preact/signals';
import { STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import { query, setQuery } from '../../router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { type Options, Select } from '../../ui/form/field.tsx';
import { FilterButton, focusSearch, QuerySelect, QueryToken, SearchField } from '../../ui/form/query-fields.tsx';
import {
  availableColumns,
  chooseColumns,
  chosenColumns,
  type Column,
  COLUMN_LABEL,
  listColumns,
} from './list/columns.ts';
import { GroupFilter } from './group-filter.tsx';
import { partsOf } from './list/filter-parts.ts';
import { isCompact, setCompact } from './list/grid-model.ts';
import { isMedium, isNarrow } from './open-page.ts';
import { STATES } from '../../checks/states.ts';
import { TARGET_STATES } from '../../../../src/vocabulary/checks.ts';
import { SavedViews } from './views/saved-views.tsx';
import { isFiltered, NO_FILTER, REDIRECT_TOKENS, UNUSED_DAYS, unusedDays, sortsOf, type View } from './view.ts';

const TYPES: Options<string> = [
  ['', 'Type'],
  ['false', 'Paths'],
  ['true', 'Patterns'],
];
/** The periods, and another one that was typed. */
const usageOf = (typed: string): Options<string> => [
  ['', 'Usage'],
  ...[...new Set([...UNUSED_DAYS, typed])].filter(Boolean).map((days) => [days, `Unused for ${days} days`] as const),
];

const SCHEDULES: Options<string> = [
  ['', 'Schedule'],
  ['upcoming', 'Not yet active'],
  ['active', 'Active, with a schedule'],
  ['expired', 'Ended'],
  ['any', 'With a schedule'],
  ['none', 'Without a schedule'],
];

const TARGETS: Options<string> = [
  ['', 'Target'],
  ['broken', 'Broken'],
  ...TARGET_STATES.map((state) => [state, STATES[state].label] as const),
  ['unchecked', 'Not checked'],
];

/** Filters with a field of their own; others are tokens. */
const IN_A_FIELD = new Set('q environment status_code is_regex group schedule target_state not_followed'.split(' '));

/** Search and filters, each a query parameter. `onDown` focuses the list. */
export function Toolbar({ view, onDown }: { view: View; onDown: () => void }) {
  const count = Object.keys(NO_FILTER).filter((name) => name !== 'q' && query.value.has(name)).length;
  const isOpen = useSignal(count > 0);
  return (
    <div class="toolbar" role="search">
      <SearchField
        q={view.filter.q ?? ''}
        placeholder="Search paths, or status:302"
        onDown={onDown}
        tokens={REDIRECT_TOKENS}
      />
      <SavedViews websiteId={view.filter.website_id} />
      {!isMedium.value && <Clear view={view} />}
      {isMedium.value && <FilterButton count={count} isOpen={isOpen} />}
      {(isOpen.value || !isMedium.value) && <Filters view={view} />}
    </div>
  );
}

function Filters({ view }: { view: View }) {
  const { filter, sort, hasHits } = view;
  const { status_code: status } = filter;
  const unused = unusedDays(query.value) ?? '';
  const chosen = Array.isArray(status) ? [[String(status), status.join(' or ')] as const] : [];
  return (
    <div class="filters row shrink">
      <QuerySelect
        label="Environment"
        name="environment"
        value={filter.environment ?? ''}
        options={[['', 'Environment'], ...ENVIRONMENT_OPTIONS]}
      />
      <QuerySelect
        label="Status"
        name="status_code"
        value={String(filter.status_code ?? '')}
        options={[['', 'Status'], ...chosen, ...STATUS_CODES.map((code) => [String(code), String(code)] as const)]}
      />
      <QuerySelect label="Type" name="is_regex" value={String(filter.is_regex ?? '')} options={TYPES} />
      <GroupFilter websiteId={filter.website_id} group={filter.group} />
      {hasHits && <QuerySelect label="Usage" name="not_followed" value={unused} options={usageOf(unused)} />}
      <QuerySelect label="Schedule" name="schedule" value={filter.schedule ?? ''} options={SCHEDULES} />
      <QuerySelect label="Target" name="target_state" value={filter.target_state ?? ''} options={TARGETS} />
      <Select
        aria-label="Order"
        value={sort}
        options={sortsOf(hasHits)}
        onChoose={(next) => setQuery({ sort: next })}
      />
      {partsOf(filter).map(
        ({ parameter, name }) =>
          !IN_A_FIELD.has(parameter) && <QueryToken key={parameter} name={parameter} label={name} />,
      )}
      {!isNarrow.value && (
        <IconButton
          label="Compact rows"
          icon="rows"
          aria-pressed={isCompact.value}
          onClick={() => setCompact(!isCompact.value)}
        />
      )}
      {!isNarrow.value && <ColumnsMenu hasHits={hasHits} />}
      {isMedium.value && <Clear view={view} />}
    </div>
  );
}

/** Keeps its place, so that a filter moves nothing. */
function Clear({ view }: { view: View }) {
  return (
    <Button
      kind="quiet"
      size="small"
      aria-label="Clear filters"
      style={{ visibility: isFiltered(view) ? 'visible' : 'hidden' }}
      onClick={({ currentTarget }) => {
        focusSearch(currentTarget);
        setQuery(NO_FILTER);
      }}
    >
      Clear
    </Button>
  );
}

/** Shows and hides columns of the list. It stays open, so that several can be chosen. */
function ColumnsMenu({ hasHits }: { hasHits: boolean }) {
  const shown = listColumns.value;
  const columns = availableColumns({ hasHits, hasGroups: true, hasSchedules: true });
  function toggle(column: Column): void {
    chooseColumns(columns.filter((each) => shown.has(each) !== (each === column)));
  }
  return (
    <Menu label="Columns" buttonClass="button quiet icon-only" button={<Icon name="columns" />}>
      <div role="group" aria-label="Columns" onClick={(event) => event.stopPropagation()}>
        {columns.map((column) => (
          <button
            key={column}
            type="button"
            class="menu-check"
            aria-pressed={shown.has(column)}
            onClick={() => toggle(column)}
          >
            <Icon name="check" />
            {COLUMN_LABEL[column]}
          </button>
        ))}
        <hr />
        <button type="button" disabled={chosenColumns.value === undefined} onClick={() => chooseColumns(undefined)}>
          Fit to width
        </button>
      </div>
    </Menu>
  );
}
