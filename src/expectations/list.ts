import { type Db, inSnapshot, type Queryable } from '../db/connection/client.ts';
import { type CopyRow, copyRows } from '../db/copy/copy-rows.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { decodeCursor, encodeCursor } from '../platform/cursor.ts';
import { csvRow } from '../formats/write/csv.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Environment, isEnvironment } from '../vocabulary/environment.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { FIELDS, type StoredExpectation } from './check-expectation.ts';

export interface ListScope {
  websiteId: number;
  /** only this environment; undefined: all */
  environment: Environment | undefined;
}

/** Lists expectations by environment and canonical URL, both in byte order. Throws INVALID_PARAMETER for a cursor of another list. */
export async function listExpectations(
  db: Queryable,
  actor: Actor,
  { websiteId, environment, limit, cursor }: ListScope & { limit: number; cursor: string | undefined },
): Promise<{ expectations: StoredExpectation[]; nextCursor: string | null }> {
  await requireWebsiteRow(db, actor, websiteId);
  const list = `expectations ${websiteId} ${environment ?? ''}`;
  const [fromEnvironment, fromKey] = cursor === undefined ? ['', ''] : decodeCursor(cursor, list, positionOf);
  const rows = await queryRows<StoredExpectation & { key: string }>(db)`
    select key, url, environment, status_code, location, final from expectations
    where website_id = ${websiteId} and ${environment === undefined ? sql`true` : sql`environment = ${environment}`}
      and (environment, key) > (${fromEnvironment}, ${fromKey})
    order by environment, key limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    expectations: page.map(({ key: _key, ...expectation }) => expectation),
    nextCursor: last ? encodeCursor(list, [last.environment, last.key]) : null,
  };
}

function positionOf([environment, key, ...others]: unknown[]): [string, string] | undefined {
  const isPosition = typeof environment === 'string' && isEnvironment(environment) && typeof key === 'string';
  return isPosition && others.length === 0 ? [environment, key] : undefined;
}

export type ExportFormat = 'ndjson' | 'csv';

/**
 * Yields all expectations as a file that a write accepts unchanged, from one snapshot, in chunks. Throws
 * WEBSITE_NOT_FOUND before the first chunk.
 */
export async function* exportExpectations(
  streams: Db,
  actor: Actor,
  { websiteId, environment, format }: ListScope & { format: ExportFormat },
): AsyncGenerator<string> {
  yield* inSnapshot(streams, async function* (snapshot, client) {
    const { id } = await requireWebsiteRow(snapshot, actor, websiteId);
    // COPY takes no parameters. An environment is one of three words.
    const query = `select url, environment, status_code, location, final from expectations
      where website_id = ${id} ${environment === undefined ? '' : `and environment = '${environment}'`}
      order by environment, key`;
    if (format === 'csv') yield `${FIELDS.join(',')}\n`;
    const write = format === 'csv' ? csvRow : jsonRow;
    for await (const rows of copyRows(client, query)) yield rows.map(write).join('');
  });
}

function jsonRow([url, environment, statusCode, location, final]: CopyRow): string {
  return `${JSON.stringify({ url, environment, status_code: Number(statusCode), location, final })}\n`;
}
