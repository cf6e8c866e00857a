/**
 * The order of rules of tools that use the first one that matches, where Detour prefers paths and the pattern with the
 * longest fixed beginning. Sources: the code of WordPress Redirection, Yoast and TYPO3, the documentation of Akamai and
 * HubSpot.
 */
import { isRowError, type RowError, rowError } from '../../../../rules/entry.ts';
import { isIssue } from '../../../../vocabulary/error.ts';
import type { RowNotices } from '../../../rows/notices.ts';
import type { FileRow } from '../../../rows/row.ts';
import { createStatementOrder, type Place } from '../../servers/order.ts';
import type { RuleSource } from '../../servers/statement.ts';
import { normalHeader } from '../column-role.ts';
import { type FormatName, toolOf } from '../csv-formats.ts';
import { type CsvLayout, matchOptions } from '../layout.ts';

/** Cells by normal header, as in the file. */
type Cell = (header: string) => string;

/** The phase in which a tool tries a row; undefined if the file does not say it. `byLine`: in a phase, lines are in order. */
interface Order {
  byLine: boolean;
  phaseOf: (row: FileRow, cell: Cell) => number | undefined;
}

const ORDERS: Partial<Record<FormatName, Order>> = {
  'wordpress-redirection': { byLine: true, phaseOf: () => 0 },
  akamai: { byLine: true, phaseOf: () => 0 },
  yoast: { byLine: true, phaseOf: ({ isRegex }) => (isRegex === true ? 1 : 0) },
  hubspot: { byLine: false, phaseOf: (_, cell) => number(cell('priority') || cell('precedence')) },
  // Rows of the host precede those of all hosts.
  typo3: {
    byLine: false,
    phaseOf: ({ isRegex }, cell) => (cell('sourcehost') === '*' ? 2 : 0) + (isRegex === true ? 1 : 0),
  },
};

const number = (cell: string): number | undefined => (/^-?\d+$/.test(cell) ? Number(cell) : undefined);

/** A row of the file, and its cells. */
export interface OrderedRow {
  row: FileRow | RowError;
  cells: readonly string[];
}

/** Returns undefined for a tool without an order. `add` all rows before the first `check`. */
export function createRowOrder(layout: CsvLayout, notices: RowNotices) {
  const found = ORDERS[layout.format];
  if (!found) return undefined;
  const { byLine, phaseOf } = found;
  const comparesQuery = toolOf(layout.format).patterns !== undefined;
  const options = { ...matchOptions(layout), comparesQuery, allowsRepeats: byLine };
  const order = createStatementOrder(options, notices);
  const places = new Map(layout.columns.map(({ header }, at) => [normalHeader(header), at]));

  /** Disabled rows answer nothing, and the order of an unknown phase is unknown. */
  function placeOf({ row, cells }: OrderedRow): { source: RuleSource; place: Place; row: FileRow } | undefined {
    if (isRowError(row) || row.draft) return undefined;
    const phase = phaseOf(row, (header) => cells[places.get(header) ?? -1] ?? '');
    if (phase === undefined) return undefined;
    const { line, oldPath, isRegex } = row;
    const source: RuleSource =
      isRegex === true ? { kind: 'pattern', pattern: oldPath } : { kind: 'path', path: oldPath, slash: 'exact' };
    return { source, place: { phase, line, number: byLine ? line : 0 }, row };
  }

  return {
    /** Paths are compared with each other as in every CSV file, where the first row of a path decides. */
    add(row: OrderedRow): void {
      const placed = placeOf(row);
      if (placed?.source.kind === 'pattern' || (placed && layout.format === 'typo3')) order.add(placed, placed.place);
    },
    /** Returns the row, or why the tool never uses it. */
    async check(row: OrderedRow): Promise<FileRow | RowError> {
      const placed = placeOf(row);
      const conflict = placed && (await order.check(placed, placed.place));
      return isIssue(conflict) ? rowError(row.row.line, placed?.row.oldPath ?? null, conflict) : row.row;
    },
  };
}
