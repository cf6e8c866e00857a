/**
 * The redirects of a website as an export reads them: plain columns through COPY, in the byte order of their keys. Whatever is made of
 * a row is made here and not in SQL: a million rows as JSON took 0.8 s so, and 2.4 s where PostgreSQL wrote the JSON.
 */
import type { PoolClient } from 'pg';
import { copyChunks, type CopyRow, parseCopyText } from '../../db/copy-rows.ts';

export interface ExportScope {
  websiteId: number;
  /** undefined: all; '': those without a group */
  group: string | undefined;
}

/** One redirect. Texts that need no reading stay as PostgreSQL wrote them. */
export interface ExportedRow {
  id: string;
  oldPath: string;
  newPath: string | null;
  statusCode: string;
  isRegex: boolean;
  groupId: string | null;
  notes: string | null;
  rev: string;
  /** the revisions since which it is targeted, as `production staging development`; 0 where it is not */
  targets: string;
  /** `YYYY-MM-DDThh:mm:ssZ` */
  createdAt: string;
}

/**
 * All rows of the scope as COPY text, about 64 KB at a time. NULL comes as an empty text, which none of these columns holds: a cell `\N` would send
 * its whole row the slow way.
 */
export async function* exportedChunks(client: PoolClient, scope: ExportScope): AsyncGenerator<Buffer> {
  const condition = await scopeCondition(client, scope);
  const query = `select r.id, r.old_path, coalesce(r.new_path, ''), r.status_code, r.is_regex, coalesce(r.group_id, ''),
    coalesce(r.notes, ''), r.rev, coalesce(r.in_prod, 0), coalesce(r.in_staging, 0), coalesce(r.in_dev, 0), r.created_at
    from redirects r where ${condition} order by r.key`;
  yield* copyChunks(client, query);
}

/** The scope as SQL text. COPY takes no parameters, so the group, which is anybody's text, comes from a setting of the transaction. */
export async function scopeCondition(client: PoolClient, { websiteId, group }: ExportScope): Promise<string> {
  if (!Number.isSafeInteger(websiteId)) throw new Error(`not a website's id: ${websiteId}`);
  await client.query(`set local timezone to 'UTC'; set local datestyle to 'ISO'`);
  const website = `r.website_id = ${websiteId}`;
  if (group === undefined) return website;
  if (group === '') return `${website} and r.group_id is null`;
  await client.query(`select set_config('detour.export_group', $1, true)`, [group]);
  return `${website} and r.group_id = current_setting('detour.export_group')`;
}

/** Reads such chunks. Rows that stand together were mostly written together: what is the same as in the row before is the same string. */
export function createRowReader(): (bytes: Buffer) => ExportedRow[] {
  const toRow = createCellReader();
  return (bytes) => parseCopyText(bytes).map(toRow);
}

function createCellReader(): (cells: CopyRow) => ExportedRow {
  let cellsBefore: CopyRow = [];
  let before = { targets: '', createdAt: '' };
  return (cells) => {
    if (cells[8] !== cellsBefore[8] || cells[9] !== cellsBefore[9] || cells[10] !== cellsBefore[10]) {
      before = { ...before, targets: `${cells[8]} ${cells[9]} ${cells[10]}` };
    }
    if (cells[11] !== cellsBefore[11]) before = { ...before, createdAt: isoOfPostgres(cells[11] ?? '') };
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
      createdAt: before.createdAt,
    };
  };
}

/** `2026-03-01 10:00:00.123+00` as `2026-03-01T10:00:00Z`. */
export function isoOfPostgres(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}
