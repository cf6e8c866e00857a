import { type Db, inSnapshot, type Queryable } from '../db/connection/client.ts';
import { type CopyRow, copyRows } from '../db/copy/copy-rows.ts';
import { containing, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { decodeCursor, encodeCursor } from '../platform/cursor.ts';
import type { ActualResponse } from '../deployments/gate/compare.ts';
import { storedActual } from '../deployments/gate/describe.ts';
import { csvRow } from '../formats/write/csv.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Environment, isEnvironment } from '../vocabulary/environment.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { outdatedEnvironments } from './renew-results.ts';
import { FIELDS, type StoredExpectation } from './check-expectation.ts';

export interface ListScope {
  websiteId: number;
  /** only this environment; undefined: all */
  environment: Environment | undefined;
}

/** A listed expectation with its last result against the live rules; null: none since it changed. */
export interface ListedExpectation extends StoredExpectation {
  result: 'holds' | 'fails' | null;
  resultSince: Date | null;
  /** the response instead of the expected one */
  actual: ActualResponse | null;
}

export const RESULTS = ['fails', 'holds', 'none'] as const;

export interface ListInput extends ListScope {
  /** text in the URL, in any case */
  q: string | undefined;
  /** only those with this last result; `none`: without one */
  result: (typeof RESULTS)[number] | undefined;
  /** `result`: those that fail first */
  sort: 'url' | 'result';
  limit: number;
  cursor: string | undefined;
}

type Row = StoredExpectation & {
  part: number;
  key: string;
  holds: boolean | null;
  resultSince: string | null;
  actual: string | null;
};

/**
 * Lists expectations by environment and canonical URL, both in byte order. `outdated`: environments whose results are of
 * an earlier state. Throws INVALID_PARAMETER for a cursor of another list.
 */
export async function listExpectations(
  db: Queryable,
  actor: Actor,
  { websiteId, environment, q, result, sort, limit, cursor }: ListInput,
): Promise<{ expectations: ListedExpectation[]; nextCursor: string | null; outdated: Environment[] }> {
  await requireWebsiteRow(db, actor, websiteId);
  const filter = q === undefined && result === undefined ? '' : ` ${JSON.stringify([q, result])}`;
  const list = `expectations ${websiteId} ${environment ?? ''}${sort === 'url' ? '' : ` ${sort}`}${filter}`;
  const conditions = [
    sql`website_id = ${websiteId}`,
    ...(environment === undefined ? [] : [sql`environment = ${environment}`]),
    // `ilike` would take twice as long.
    ...(q === undefined ? [] : [sql`lower(url) like lower(${containing(q)})`]),
    ...(result === undefined ? [] : [HAS_RESULT[result]]),
  ];
  const [fromEnvironment, fromKey, fromPart] =
    cursor === undefined ? ['', '', 0] : decodeCursor(cursor, list, positionOf);
  const parts = sort === 'url' ? [sql`true`] : [sql`not holds`, sql`holds is distinct from false`];
  const pages = parts.slice(fromPart).map((isPart, index) => {
    const from = index === 0 ? sql`(${fromEnvironment}, ${fromKey})` : sql`('', '')`;
    return sql`(
      select ${fromPart + index}::int as part, key, url, environment, status_code, location, final, holds, result_since, actual
      from expectations
      where ${sql.join(conditions, sql` and `)} and ${isPart} and (environment, key) > ${from}
      order by environment, key limit ${limit + 1})`;
  });
  const rows = await queryRows<Row>(db)`
    select * from (${sql.join(pages, sql` union all `)}) p order by part, environment, key limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    expectations: page.map(listed),
    nextCursor: last ? encodeCursor(list, [last.environment, last.key, last.part]) : null,
    outdated: await outdatedEnvironments(db, websiteId),
  };
}

/** `not holds` is the condition of an index. */
const HAS_RESULT = { fails: sql`not holds`, holds: sql`holds`, none: sql`holds is null` };

function listed({ part: _part, key: _key, holds, actual, resultSince, ...expectation }: Row): ListedExpectation {
  return {
    ...expectation,
    result: holds === null ? null : holds ? 'holds' : 'fails',
    resultSince: resultSince === null ? null : new Date(resultSince),
    actual: actual === null ? null : storedActual(actual),
  };
}

/** The cursor of an earlier release has no part. */
function positionOf([environment, key, part = 0, ...others]: unknown[]): [string, string, number] | undefined {
  if (typeof environment !== 'string' || !isEnvironment(environment) || typeof key !== 'string') return undefined;
  return (part === 0 || part === 1) && others.length === 0 ? [environment, key, part] : undefined;
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
