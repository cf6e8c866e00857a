import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { moves } from '../db/schema/moves.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { UrlAnswer } from '../vocabulary/urls.ts';
import type { UrlFilter } from '../urls/url-filter.ts';
import { requireEditableRow, requireWebsiteRow } from '../websites/website.ts';

/** The URLs of the website that become rows. */
export interface MoveFilter extends Omit<UrlFilter, 'websiteId'> {
  answered: UrlAnswer;
}

/** Sources of rows and candidates. `lost` and `filter`: URLs of the website; `living`: living pages. */
export interface MoveSource {
  from: { kind: 'lost' | 'filter' | 'urls' | 'file'; filter?: MoveFilter; fromHosts: string[] };
  /** `areAllPages`: they are all pages of the website, so a row without a near one may be suggested as gone */
  to: { kind: 'living' | 'file'; areAllPages: boolean };
}

/** A move as a query returns it: times are text. */
export interface Move extends Omit<typeof moves.$inferSelect, 'source' | 'appliedAt' | 'leaseUntil' | 'createdAt'> {
  source: MoveSource;
  appliedAt: string | null;
  createdAt: string;
  /** changes with every write of the row, and so with every write of its rows: their writers update its counts */
  version: string;
}

export interface MovePlace {
  websiteId: number;
  moveId: string;
}

/** Selects moves `m` of a website that the caller has proven to be the account's. */
export const selectMoves = (db: Queryable, websiteId: number, rest: SQL): Promise<Move[]> =>
  queryRows<Move>(db)`select m.*, m.xmin::text as version from moves m where m.website_id = ${websiteId}::int ${rest}`;

/** Returns a move that the actor may read. Throws WEBSITE_NOT_FOUND and MOVE_NOT_FOUND. */
export async function requireMove(db: Queryable, actor: Actor, { websiteId, moveId }: MovePlace): Promise<Move> {
  await requireWebsiteRow(db, actor, websiteId);
  const [move] = await selectMoves(db, websiteId, sql`and m.id = ${moveId}`);
  if (!move) throw moveNotFound(moveId);
  return move;
}

/**
 * Locks a move for a writer of its rows, which then has the counts of the row to itself. Throws as requireMove, and
 * INSUFFICIENT_ROLE.
 */
export async function lockMove(tx: Queryable, actor: Actor, { websiteId, moveId }: MovePlace): Promise<Move> {
  await requireEditableRow(tx, actor, websiteId);
  const [move] = await selectMoves(tx, websiteId, sql`and m.id = ${moveId} for update`);
  if (!move) throw moveNotFound(moveId);
  return move;
}

function moveNotFound(id: string): DomainError {
  const details = `id: the website has no move ${id}; GET .../moves lists them`;
  return new DomainError('MOVE_NOT_FOUND', 'Move not found', { details });
}
