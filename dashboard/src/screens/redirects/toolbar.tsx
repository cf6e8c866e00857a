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
import { NO_FILTER, REDIRECT_TOKENS, UNUSED_DAYS, sortsOf, type View } from './view.ts';

const TYPES: Options<string> = [
  ['false', 'Paths'],
  ['true', 'Patterns'],
];
const USAGES: Options<string> = UNUSED_DAYS.map((days) => [days, `Unused for ${days} days`]);

const SCHEDULES: Options<string> = [
  ['upcoming', 'Not yet active'],
  ['active', 'Active, with a schedule'],
  ['expired', 'Ended'],
  ['any', 'With a schedule'],
  ['none', 'Without a schedule'],
];

const TARGETS: Options<string> = [
  ['broken', 'Broken'],
  ...TARGET_STATES.map((state) => [state, STATES[state].label] as const),
  ['unchecked', 'Not checked'],
];

/** Search and filters, each a query parameter. `onDown` focuses the list. */
export function Toolbar({ view, onDown }: { view: View; onDown: () => void }) {
  const { filter, hasHits } = view;
  const count = Object.keys(NO_FILTER).filter((name) => name !== 'q' && query.value.has(name)).length;
  const isOpen = useSignal(count > 0);
  const all = partsOf(filter);
  const parts = all.filter(({ parameter }) => parameter !== 'q');
  const chips = all.length > 0 && (
    <div class="row wrap shrink chips" data-below={isMedium.value}>
      {parts.map(({ parameter, name }) => (
        <QueryToken key={parameter} name={parameter} label={name} />
      ))}
      <Clear />
    </div>
  );
  return (
    <div class="toolbar" role="search">
      <SearchField
        q={filter.q ?? ''}
        placeholder="Search paths, or status:302"
        onDown={onDown}
        tokens={REDIRECT_TOKENS}
      />
      {!isMedium.value && chips}
      <SavedViews websiteId={filter.website_id} />
      {isMedium.value && <FilterButton count={count} isOpen={isOpen} />}
      {!isNarrow.value && (
        <span class="row gap-0" style={{ marginLeft: 'auto' }}>
          {!isMedium.value && <Order view={view} />}
          <IconButton
            label="Compact rows"
            icon="rows"
            aria-pressed={isCompact.value}
            onClick={() => setCompact(!isCompact.value)}
          />
          <ColumnsMenu hasHits={hasHits} />
        </span>
      )}
      {(isOpen.value || !isMedium.value) && <Filters view={view} />}
      {isMedium.value && chips}
    </div>
  );
}

/** Each adds a filter, or replaces the one of its kind. */
function Filters({ view }: { view: View }) {
  const { filter, hasHits } = view;
  const add = (label: string, name: string, options: Options<string>) => (
    <QuerySelect label={label} name={name} value="" options={[['', label], ...options]} />
  );
  return (
    <div class="filters row wrap" onKeyDown={openWithArrow}>
      {add('Environment', 'environment', ENVIRONMENT_OPTIONS)}
      {add(
        'Status',
        'status_code',
        STATUS_CODES.map((code) => [String(code), String(code)]),
      )}
      {add('Type', 'is_regex', TYPES)}
      <GroupFilter websiteId={filter.website_id} />
      {hasHits && add('Usage', 'not_followed', USAGES)}
      {add('Schedule', 'schedule', SCHEDULES)}
      {add('Target', 'target_state', TARGETS)}
      {isMedium.value && <Order view={view} />}
    </div>
  );
}

const Order = ({ view: { sort, hasHits } }: { view: View }) => (
  <Select aria-label="Order" value={sort} options={sortsOf(hasHits)} onChoose={(next) => setQuery({ sort: next })} />
);

/** As on macOS: an arrow key would choose the first filter of a closed select, and never another one. */
function openWithArrow(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLSelectElement) || !key.startsWith('Arrow')) return;
  if (!CSS.supports('selector(:open)') || target.matches(':open')) return;
  event.preventDefault();
  target.showPicker();
}

const Clear = () => (
  <Button
    kind="quiet"
    size="small"
    aria-label="Clear filters"
    onClick={({ currentTarget }) => {
      focusSearch(currentTarget);
      setQuery(NO_FILTER);
    }}
  >
    Clear
  </Button>
);

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
