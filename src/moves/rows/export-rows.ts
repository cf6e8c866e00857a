/** The rows of a move as a spreadsheet, which moves/decide/import-rows.ts reads back. */
import { type Db, inSnapshot } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { fetchRows } from '../../db/rows.ts';
import { csvRow } from '../../formats/write/csv.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type MovePlace, requireMove } from '../move.ts';
import { type MoveRow, selectRows, shownRow, type StoredRow } from './list-rows.ts';
import { rowCondition, type RowFilter } from './row-filter.ts';

/** The columns that an import reads; the others are for the reader. */
export const DECISION_CELLS = ['url', 'decision', 'target', 'status_code', 'revision'] as const;

const COLUMNS = [
  ...['url', 'raw_url', 'title', 'weight', 'suggested', 'confidence', 'suggestions', 'reasons'],
  ...['decision', 'target', 'status_code', 'rule', 'decided_by', 'decided_at', 'revision'],
];
const BATCH_SIZE = 1_000;

/** Puts an apostrophe before what a spreadsheet would read as a formula, and before an apostrophe. */
const guardCell = (text: string | null): string | null =>
  text !== null && /^[=+\-@\t\r\n']/.test(text) ? `'${text}` : text;

/** Removes the apostrophe of guardCell. */
export const unguardCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

/** Yields the rows that a filter finds as CSV, the largest weight first, from one snapshot. Throws as requireMove. */
export async function* exportRows(
  streams: Db,
  actor: Actor,
  { websiteId, moveId, ...filter }: MovePlace & RowFilter,
): AsyncGenerator<string> {
  yield* inSnapshot(streams, async function* (snapshot) {
    const move = await requireMove(snapshot, actor, { websiteId, moveId });
    const rest = sql`${rowCondition(move, filter)} order by r.weight desc, r.url`;
    yield csvRow(COLUMNS);
    for await (const rows of fetchRows<StoredRow>(snapshot, selectRows(move, rest), BATCH_SIZE))
      yield rows.map((row) => csvRow(cellsOf(shownRow(actor, row)).map(guardCell))).join('');
  });
}

const cellsOf = (row: MoveRow): (string | null)[] =>
  [
    ...[row.url, row.rawUrl, row.title, row.weight, row.suggested, row.confidence],
    ...[row.suggestions.map(({ target }) => target).join(' '), row.reasons.join('; ')],
    ...[row.decision, row.target, row.statusCode, row.rule, row.decidedBy?.name],
    ...[row.decidedAt && isoSeconds(row.decidedAt), row.revision],
  ].map((cell) => cell?.toString() ?? null);
