/** The check box of a row, and the actions for the selected rows. */
import './selection-bar.css';
import type { ComponentChildren } from 'preact';
import { number } from '../../format.ts';
import { Button, IconButton } from '../button.tsx';
import type { RowSelection } from './use-selection.ts';

/** Selects rows; with Shift, also those from the last chosen row on. The key `x` of their row clicks it. */
export function SelectBox<Key>(props: { selection: RowSelection<Key>; rows: readonly Key[]; label: string }) {
  const { selection, rows, label } = props;
  const count = rows.filter(selection.has).length;
  return (
    <input
      type="checkbox"
      data-key="x"
      aria-label={`Select ${label}`}
      checked={count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      // Shift would select the text in between.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={({ shiftKey }) => selection.toggle(rows, shiftKey)}
    />
  );
}

interface BarProps {
  /** what is selected, such as `Selected redirects` */
  label: string;
  /** undefined: all, whose number is not known yet */
  count: number | undefined;
  /** selects more rows; undefined if all are selected */
  widen: { label: string; run: () => void } | undefined;
  onClear: () => void;
  /** the actions */
  children: ComponentChildren;
}

/** Stays at the bottom of the window while rows are selected. */
export function SelectionBar({ label, count, widen, onClear, children }: BarProps) {
  return (
    <div class="card row bulk-bar" role="region" aria-label={label}>
      <strong aria-live="polite">{count === undefined ? 'All' : number(count)} selected</strong>
      {widen && (
        <Button kind="quiet" size="small" onClick={widen.run}>
          {widen.label}
        </Button>
      )}
      {children}
      <IconButton label="Clear selection" icon="close" size="small" onClick={onClear} />
    </div>
  );
}

/** The bar of a list of which all loaded rows are elements; nothing without selected ones. */
export function RowSelectionBar<Key>(props: Pick<BarProps, 'label' | 'children'> & { selection: RowSelection<Key> }) {
  const { selection, ...bar } = props;
  const { keys, order, selectAll, clear } = selection;
  if (keys.length === 0) return null;
  const widen = { label: `Select all ${number(order.length)} listed`, run: selectAll };
  return (
    <SelectionBar {...bar} count={keys.length} widen={keys.length < order.length ? widen : undefined} onClear={clear} />
  );
}
