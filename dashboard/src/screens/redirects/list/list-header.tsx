import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { setQuery } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import type { GridModel } from './grid-model.ts';
import { type Column, COLUMN_LABEL } from './columns.ts';
import type { RedirectList } from './redirect-list.ts';
import { folderLines } from './shared-folders.ts';
import { HIT_DAYS, type Sort, type View } from '../view.ts';

/** Column headers. A click sorts by the column, a second click reverses the order. */
export function ListHeader({ model, columns }: { model: GridModel; columns: ReadonlySet<Column> }) {
  const { list, selection, view } = model;
  const isAllSelected = list.rows.value.length > 0 && list.rows.value.every(({ id }) => selection.has(id));
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" class="grid-row" aria-rowindex={1}>
        <span role="columnheader" class="row cell-check">
          {mayEdit.value && (
            <input
              type="checkbox"
              aria-label="Select loaded rows"
              tabIndex={-1}
              disabled={list.rows.value.length === 0}
              checked={isAllSelected}
              indeterminate={!isAllSelected && !selection.isEmpty()}
              onChange={() => (isAllSelected ? selection.clear() : selection.selectLoaded())}
            />
          )}
        </span>
        <Sortable view={view} by={['old_path', '-old_path']} label="From" />
        <span role="columnheader">To</span>
        <span role="columnheader">Status</span>
        <span role="columnheader">Live in</span>
        {[...columns].map((column) => (
          <OptionalHeader key={column} column={column} view={view} />
        ))}
      </div>
    </div>
  );
}

const ORDERS: Record<Exclude<Column, 'schedule' | 'group' | 'target'>, [first: Sort, second: Sort]> = {
  hits: ['-hits', 'hits'],
  last: ['-last_hit_at', 'last_hit_at'],
  changed: ['-updated_at', 'updated_at'],
};

function OptionalHeader({ column, view }: { column: Column; view: View }) {
  if (column === 'schedule' || column === 'group' || column === 'target') {
    const title = column === 'target' ? 'What the last live check of the target found' : undefined;
    return (
      <span role="columnheader" title={title}>
        {COLUMN_LABEL[column]}
      </span>
    );
  }
  const environment = ENVIRONMENT_LABEL[view.filter.environment ?? 'production'].toLowerCase();
  const title = {
    hits: `Hits in ${environment} in the last ${HIT_DAYS} days, bots excluded`,
    last: `Last hit in ${environment}, bots excluded`,
    changed: undefined,
  }[column];
  return (
    <Sortable
      view={view}
      by={ORDERS[column]}
      label={column === 'hits' ? `Hits ${HIT_DAYS} d` : COLUMN_LABEL[column]}
      cell={`cell-${column}`}
      title={title}
    />
  );
}

interface SortableProps {
  view: View;
  /** the orders of the first and the second click */
  by: [first: Sort, second: Sort];
  label: string;
  cell?: string;
  title?: string | undefined;
}

function Sortable({ view: { sort }, by: [first, second], label, cell = '', title }: SortableProps) {
  const isSorted = sort === first || sort === second;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  return (
    <span role="columnheader" class={cell} aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        class="sort"
        tabIndex={-1}
        title={title}
        onClick={({ currentTarget }) => {
          setQuery({ sort: sort === first ? second : first });
          currentTarget.closest<HTMLElement>('[role=grid]')?.focus();
        }}
      >
        {label}
        {isSorted && <Icon name={direction === 'descending' ? 'down' : 'up'} size={12} />}
      </button>
    </span>
  );
}

/**
 * Above the rows, so that it stays in sight: the folders that an ellipsis hides in visible rows. Once shown, it keeps its
 * space, so that scrolling moves nothing.
 */
export function FolderLines({ list }: { list: RedirectList }) {
  const { from, to } = list.folders.value;
  const [isFrom, isTo] = [useComputed(() => list.drawn.from.value > 0), useComputed(() => list.drawn.to.value > 0)];
  const hidden = { from: isFrom.value ? from : '', to: isTo.value ? to : '' };
  const lines = folderLines(hidden, list.rows.value, list.hasMore.value || list.above.value > 0);
  const shown = useRef<{ of: string; lines: typeof lines }>({ of: '', lines: [] });
  const folders = `${from} ${to}`;
  if (shown.current.of !== folders || lines.length > 0) shown.current = { of: folders, lines };
  if (shown.current.lines.length === 0) return null;
  return (
    <p class="folder-lines small muted" data-idle={lines.length === 0}>
      {shown.current.lines.map(({ text, folder }) => (
        <span key={text} class="break">
          {text}{' '}
          <span class="mono">
            <WrappedPath path={folder} />
          </span>
        </span>
      ))}
    </p>
  );
}
