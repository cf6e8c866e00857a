/**
 * Reads the redirects of a website for an export: plain columns through COPY, in the byte order of their keys.
 * Formatting JSON in Node.js takes 0.8 s for 1,000,000 rows, and 2.4 s in PostgreSQL.
 */
import type { PoolClient } from 'pg';
import { copyChunks, type CopyRow, inlineSql, parseCopyText } from '../../db/copy/copy-rows.ts';
import type { RulesPointer } from '../../deployments/live/database/rules-sql.ts';
import type { ExportedRow } from '../../formats/write/lossless-format.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { type RedirectFilter, rowCondition } from '../list/filter.ts';
import { versionRowsSql } from './version-rows.ts';

export interface ExportScope {
  websiteId: number;
  filter: RedirectFilter;
  /** the rules of a version; undefined: the current redirects */
  rules?: RulesPointer | undefined;
}

/** The text of an entry is about twice as long. Smaller chunks cost more to hand to another thread. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Yields all rows of the scope as COPY text, about 128 KB at a time. Replaces NULL by '' or 0, which the columns never
 * contain, because the escape `\N` would keep the chunk off the fast path.
 */
export async function* exportedChunks(client: PoolClient, scope: ExportScope): AsyncGenerator<Buffer> {
  const source = await scopeSource(client, scope);
  const query = `select r.id, r.old_path, coalesce(r.new_path, ''), r.status_code, r.is_regex, coalesce(r.group_id, ''),
    coalesce(r.notes, ''), r.rev, coalesce(r.in_prod, 0), coalesce(r.in_staging, 0), coalesce(r.in_dev, 0), r.created_at,
    coalesce(r.active_from::text, ''), coalesce(r.active_until::text, '')
    from ${source} order by r.key`;
  yield* copyChunks(client, query, CHUNK_BYTES);
}

/** The rows `r` of the scope and their condition as SQL text, because COPY accepts no parameters. */
export async function scopeSource(client: PoolClient, { websiteId, filter, rules }: ExportScope): Promise<string> {
  if (!Number.isSafeInteger(websiteId)) throw new Error(`not a website's id: ${websiteId}`);
  await client.query(`set local timezone to 'UTC'; set local datestyle to 'ISO'`);
  const rows = rules
    ? `(${versionRowsSql(websiteId, rules)}) r where true`
    : `redirects r where r.website_id = ${websiteId}`;
  return `${rows} and ${inlineSql(rowCondition(filter))}`;
}

/** Returns a parser for such chunks. Neighbours often have equal values, which then share one string. */
export function createRowReader(): (bytes: Buffer) => ExportedRow[] {
  let cellsBefore: CopyRow = [];
  let before: Pick<ExportedRow, 'targets' | 'environments'> = { targets: '', environments: [] };
  let createdAt: string | null = null;
  const toRow = (cells: CopyRow): ExportedRow => {
    if (cells[8] !== cellsBefore[8] || cells[9] !== cellsBefore[9] || cells[10] !== cellsBefore[10]) {
      const targets = cells.slice(8, 11);
      const environments = ENVIRONMENTS.filter((_, at) => targets[at] !== '0');
      before = { targets: targets.join(' '), environments };
    }
    if (cells[11] !== cellsBefore[11]) createdAt = cells[11] == null ? null : isoOfPostgres(cells[11]);
    cellsBefore = cells;
    return {
      id: cells[0] ?? '',
      oldPath: cells[1] ?? '',
      newPath: cells[2] || null,
      statusCode: cells[3] ?? '',
      isRegex: cells[4] === 't',
      groupId: cells[5] || null,
      notes: cells[6] || null,
      rev: cells[7] ?? '',
      targets: before.targets,
      environments: before.environments,
      createdAt,
      activeFrom: momentOfPostgres(cells[12]),
      activeUntil: momentOfPostgres(cells[13]),
    };
  };
  return (bytes) => parseCopyText(bytes).map(toRow);
}

/** Converts `2026-03-01 10:00:00.123+00` to `2026-03-01T10:00:00Z`. */
function isoOfPostgres(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}

/** Converts `2026-03-01 10:00:00.12+00`; '' is null. */
function momentOfPostgres(cell: string | null | undefined): string | null {
  return cell ? isoOfPostgres(cell) : null;
}
