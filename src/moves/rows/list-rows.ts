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

/**
 * A query of rows `r` of the move, or of those in `from`; `rest` follows `where`. The suggestions are read after the limit
 * of a query.
 */
export const selectRows = ({ generation }: Move, rest: SQL, from = sql`move_rows`): SQL => sql`
  select r.url, coalesce(r.raw_url, r.url) as raw_url, r.raw_urls, r.title, r.weight, r.decision, r.target,
    r.status_code, r.suggested, (${sql.param(CONFIDENCES)}::text[])[r.confidence + 1] as confidence,
    (select s.found from move_suggestions s where s.move_id = r.move_id and s.url = r.url) as found, r.rule,
    case when r.decided_type is not null
      then jsonb_build_object('type', r.decided_type, 'id', r.decided_id, 'name', r.decided_name) end as decided_by,
    r.decided_at, r.revision, r.generation < ${generation}::int as pending
  from ${from} r where ${rest}`;

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
export const readRows = async (db: Queryable, viewer: Actor, move: Move, rest: SQL): Promise<MoveRow[]> =>
  withTitles(db, viewer, move, await queryRows<StoredRow>(db)`${selectRows(move, rest)}`);

async function withTitles(db: Queryable, viewer: Actor, move: Move, rows: StoredRow[]): Promise<MoveRow[]> {
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

export const ROW_SORTS = ['-weight', 'weight', 'url', '-url'] as const;

export interface RowsInput extends MovePlace, RowFilter {
  sort: (typeof ROW_SORTS)[number];
  limit: number;
  cursor?: string | undefined;
}

/**
 * Lists rows, ties by URL. `weight` and `-url` are the other sorts backwards, ties included. Throws as requireMove, and
 * INVALID_PARAMETER for a cursor of another list.
 */
export async function listRows(
  db: Queryable,
  actor: Actor,
  { websiteId, moveId, sort, limit, cursor, ...filter }: RowsInput,
): Promise<{ rows: MoveRow[]; nextCursor: string | null }> {
  const move = await requireMove(db, actor, { websiteId, moveId });
  const name = `move ${moveId} ${sort} ${JSON.stringify(filter)}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const found: StoredRow[] = [];
  for (const range of rangesAfter(sort, after)) {
    const most = limit + 1 - found.length;
    if (most > 0) found.push(...(await readRange(db, move, filter, { ...range, most })));
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const nextCursor = last ? encodeCursor(name, [last.weight, last.url]) : null;
  return { rows: await withTitles(db, actor, move, rows), nextCursor };
}

/** Rows of an index in which most filters find a page. */
const NEAR_ROWS = 5_000;

/** Looks at the next rows first: for a filter without statistics, PostgreSQL would read and sort all rows of the move. */
async function readRange(
  db: Queryable,
  move: Move,
  filter: RowFilter,
  { condition, order, most }: Range & { most: number },
): Promise<StoredRow[]> {
  const next = sql`(select * from move_rows r where r.move_id = ${move.id} and ${condition}
    order by ${order} limit ${NEAR_ROWS})`;
  const rest = sql`${rowCondition(move, filter)} and ${condition} order by ${order} limit ${most}`;
  const near = await queryRows<StoredRow>(db)`${selectRows(move, rest, next)}`;
  return near.length === most ? near : queryRows<StoredRow>(db)`${selectRows(move, rest)}`;
}

interface Position {
  weight: number;
  url: string;
}

const positionOf = ([weight, url, ...more]: unknown[]): Position | undefined =>
  Number.isSafeInteger(weight) && typeof url === 'string' && !url.includes('\0') && more.length === 0
    ? { weight: Number(weight), url }
    : undefined;

interface Range {
  condition: SQL;
  order: SQL;
}

/** The rest of the list as ranges of an index: one condition for both keys would read all rows of the same weight. */
function rangesAfter(sort: RowsInput['sort'], after: Position | undefined): Range[] {
  const isBackwards = sort === 'weight' || sort === '-url';
  const byUrl = isBackwards ? sql`r.url desc` : sql`r.url`;
  const isByUrl = sort === 'url' || sort === '-url';
  if (!after) return [{ condition: sql`true`, order: isByUrl ? byUrl : byWeight(isBackwards) }];
  const isLater = isBackwards ? sql`r.url < ${after.url}` : sql`r.url > ${after.url}`;
  if (isByUrl) return [{ condition: isLater, order: byUrl }];
  const isBeyond = isBackwards ? sql`r.weight > ${after.weight}::bigint` : sql`r.weight < ${after.weight}::bigint`;
  return [
    { condition: sql`r.weight = ${after.weight}::bigint and ${isLater}`, order: byUrl },
    { condition: isBeyond, order: byWeight(isBackwards) },
  ];
}

const byWeight = (isBackwards: boolean): SQL => (isBackwards ? sql`r.weight, r.url desc` : sql`r.weight desc, r.url`);
