/** Rows of a move, as clients see them. */
import { type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows, timeOf } from '../../db/rows.ts';
import { decodeCursor, encodeCursor } from '../../platform/cursor.ts';
import type { Suggestion } from '../../suggestions/suggest.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { CONFIDENCES, type Decision } from '../../vocabulary/moves.ts';
import { type Move, type MovePlace, requireMove } from '../move.ts';
import { type Confidence, rowCondition, type RowFilter } from './row-filter.ts';

export interface MoveRow {
  url: string;
  rawUrl: string;
  /** of a row that was made from several */
  rawUrls?: string[];
  title: string | null;
  weight: number;
  decision: Decision | null;
  target: string | null;
  statusCode: number | null;
  suggested: 'redirect' | 'gone' | 'keep' | null;
  confidence: Confidence | null;
  reasons: string[];
  suggestions: (Suggestion & { title: string | null })[];
  /** pattern of the rule of the move that decided it */
  rule: string | null;
  decidedBy: ShownActor | null;
  decidedAt: Date | null;
  revision: number;
  /** not matched yet, or not again since the last refresh */
  pending: boolean;
}

/** A row as the query returns it. */
export type StoredRow = Omit<MoveRow, 'rawUrls' | 'suggestions' | 'reasons' | 'decidedAt'> & {
  rawUrls: string[] | null;
  /** null before it is matched */
  found: { reasons: string[]; suggestions: Suggestion[] } | null;
  decidedAt: string | null;
};

/** A query of rows `r` of the move; `rest` follows `where`. The suggestions are read after the limit of a query. */
export const selectRows = ({ generation }: Move, rest: SQL): SQL => sql`
  select r.url, coalesce(r.raw_url, r.url) as raw_url, r.raw_urls, r.title, r.weight, r.decision, r.target,
    r.status_code, r.suggested, (${sql.param(CONFIDENCES)}::text[])[r.confidence + 1] as confidence,
    (select s.found from move_suggestions s where s.move_id = r.move_id and s.url = r.url) as found, r.rule,
    case when r.decided_type is not null
      then jsonb_build_object('type', r.decided_type, 'id', r.decided_id, 'name', r.decided_name) end as decided_by,
    r.decided_at, r.revision, r.generation < ${generation}::int as pending
  from move_rows r where ${rest}`;

/** A row as the viewer may see it. `titles` are those of targets. */
export function shownRow(
  viewer: Actor,
  { rawUrls, found, decidedBy, decidedAt, ...row }: StoredRow,
  titles?: ReadonlyMap<string, string | null>,
): MoveRow {
  return {
    ...row,
    ...(rawUrls && { rawUrls }),
    reasons: found?.reasons ?? [],
    suggestions: (found?.suggestions ?? []).map((each) => ({ ...each, title: titles?.get(each.target) ?? null })),
    decidedBy: decidedBy && shownActor(viewer, decidedBy),
    decidedAt: timeOf(decidedAt),
  };
}

/** Returns rows `r` of the move with the titles of targets; `rest` follows `where`. */
export async function readRows(db: Queryable, viewer: Actor, move: Move, rest: SQL): Promise<MoveRow[]> {
  const rows = await queryRows<StoredRow>(db)`${selectRows(move, rest)}`;
  const targets = new Set(rows.flatMap(({ found }) => (found?.suggestions ?? []).map(({ target }) => target)));
  const titles = await readTitles(db, move, [...targets]);
  return rows.map((row) => shownRow(viewer, row, titles));
}

async function readTitles(db: Queryable, { id }: Move, targets: string[]): Promise<Map<string, string | null>> {
  if (targets.length === 0) return new Map();
  const pages = await queryRows<{ url: string; title: string | null }>(db)`
    select url, title from move_candidates where move_id = ${id} and url = any(${sql.param(targets)}::text[])`;
  return new Map(pages.map(({ url, title }) => [url, title]));
}

export const ROW_SORTS = ['-weight', 'url'] as const;

export interface RowsInput extends MovePlace, RowFilter {
  sort: (typeof ROW_SORTS)[number];
  limit: number;
  cursor?: string | undefined;
}

/** Lists rows, ties by URL. Throws as requireMove, and INVALID_PARAMETER for a cursor of another list. */
export async function listRows(
  db: Queryable,
  actor: Actor,
  { websiteId, moveId, sort, limit, cursor, ...filter }: RowsInput,
): Promise<{ rows: MoveRow[]; nextCursor: string | null }> {
  const move = await requireMove(db, actor, { websiteId, moveId });
  const name = `move ${moveId} ${sort} ${JSON.stringify(filter)}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const found: MoveRow[] = [];
  for (const { condition, order } of rangesAfter(sort, after)) {
    const most = limit + 1 - found.length;
    const rest = sql`${rowCondition(move, filter)} and ${condition} order by ${order} limit ${most}`;
    if (most > 0) found.push(...(await readRows(db, actor, move, rest)));
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last ? encodeCursor(name, [last.weight, last.url]) : null };
}

interface Position {
  weight: number;
  url: string;
}

const positionOf = ([weight, url, ...more]: unknown[]): Position | undefined =>
  Number.isSafeInteger(weight) && typeof url === 'string' && !url.includes('\0') && more.length === 0
    ? { weight: Number(weight), url }
    : undefined;

/** The rest of the list as ranges of an index: one condition for both keys would read all rows of the same weight. */
function rangesAfter(sort: RowsInput['sort'], after: Position | undefined): { condition: SQL; order: SQL }[] {
  const byUrl = sql`r.url`;
  const byWeight = sql`r.weight desc, r.url`;
  if (!after) return [{ condition: sql`true`, order: sort === 'url' ? byUrl : byWeight }];
  const isLater = sql`r.url > ${after.url}`;
  if (sort === 'url') return [{ condition: isLater, order: byUrl }];
  return [
    { condition: sql`r.weight = ${after.weight}::bigint and ${isLater}`, order: byUrl },
    { condition: sql`r.weight < ${after.weight}::bigint`, order: byWeight },
  ];
}
