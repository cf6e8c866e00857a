/** The rows of a move as a spreadsheet, which moves/decide/import-rows.ts reads back. */
import { shownActor } from '../../accounts/website-scope.ts';
import { type Db, inSnapshot } from '../../db/connection/client.ts';
import { copyRows, type CopyRow, inlineSql } from '../../db/copy/copy-rows.ts';
import { sql } from '../../db/drizzle.ts';
import { csvRow } from '../../formats/write/csv.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { CONFIDENCES } from '../../vocabulary/moves.ts';
import { type MovePlace, requireMove } from '../move.ts';
import { rowCondition, type RowFilter } from './row-filter.ts';

/** The columns that an import reads; the others are for the reader. */
export const DECISION_CELLS = ['url', 'decision', 'target', 'status_code', 'revision'] as const;

const COLUMNS = [
  ...['url', 'raw_url', 'title', 'weight', 'suggested', 'confidence', 'suggestions', 'reasons'],
  ...['decision', 'target', 'status_code', 'rule', 'decided_by', 'decided_at', 'revision'],
];

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
  yield* inSnapshot(streams, async function* (snapshot, client) {
    const move = await requireMove(snapshot, actor, { websiteId, moveId });
    const query = sql`
      select r.url, coalesce(r.raw_url, r.url), r.title, r.weight, r.suggested, r.confidence,
        jsonb_path_query_array(s.found, '$.suggestions[*].target'), s.found->'reasons', r.decision, r.target,
        r.status_code, r.rule, r.decided_type, r.decided_id, r.decided_name, extract(epoch from r.decided_at)::bigint,
        r.revision
      from move_rows r left join move_suggestions s on s.move_id = r.move_id and s.url = r.url
      where ${rowCondition(move, filter)} order by r.weight desc, r.url`;
    yield csvRow(COLUMNS);
    const write = (row: CopyRow): string => csvRow(cellsOf(actor, row).map(guardCell));
    for await (const rows of copyRows(client, inlineSql(query))) yield rows.map(write).join('');
  });
}

function cellsOf(viewer: Actor, row: CopyRow): (string | null)[] {
  const [url, rawUrl, title, weight, suggested, confidence, targets, reasons, ...decided] = row as string[];
  const [decision, target, statusCode, rule, type, id, name, at, revision] = decided;
  const by = type == null ? null : shownActor(viewer, { type: type as Actor['type'], id: id ?? '', name: name ?? '' });
  return [
    ...[url, rawUrl, title, weight, suggested, confidence == null ? null : CONFIDENCES[Number(confidence)]],
    ...[textsOf(targets).join(' '), textsOf(reasons).join('; ')],
    ...[decision, target, statusCode, rule, by?.name, at == null ? null : isoSeconds(new Date(Number(at) * 1_000))],
    revision,
  ].map((cell) => cell ?? null);
}

const textsOf = (json: string | null | undefined): string[] => (json == null ? [] : (JSON.parse(json) as string[]));
