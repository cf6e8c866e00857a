import { Icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { availableColumns, chooseColumns, chosenColumns, type Column, COLUMN_LABEL, listColumns } from './columns.ts';

/** Shows and hides columns of the list. It stays open, so that several can be chosen. */
export function ColumnsMenu({ hasHits }: { hasHits: boolean }) {
  const shown = listColumns.value;
  const columns = availableColumns({ hasHits, hasGroups: true });
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
