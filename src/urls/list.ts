/** Named lists of living pages: their rows, versions and what is retained of them. */
import { recordAudit } from '../accounts/audit.ts';
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { TargetList } from './merge-list.ts';

/** Complete states of a list that can be restored. */
const MAX_VERSIONS = 10;
const RETENTION_DAYS = 30;

export interface ListName {
  websiteId: number;
  environment: Environment;
  list: string;
}

/** Returns the list, which the first push creates. For a website whose URLs are locked. */
export async function openList(tx: Queryable, { websiteId, environment, list }: ListName): Promise<TargetList> {
  await queryRows(tx)`
    insert into url_lists (website_id, environment, name) values (${websiteId}, ${environment}, ${list})
    on conflict do nothing`;
  const found = await findList(tx, { websiteId, environment, list });
  if (!found) throw new Error(`the list ${list} is not there after its insert`);
  return found;
}

export async function findList(db: Queryable, { websiteId, environment, list }: ListName) {
  const [row] = await queryRows<TargetList>(db)`
    select id, website_id, environment, name, version, total from url_lists
    where website_id = ${websiteId} and environment = ${environment} and name = ${list}`;
  return row;
}

/** Throws REVISION_CHANGED if the list has another version. */
export function assertListVersion({ version }: TargetList, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new DomainError('REVISION_CHANGED', 'The list has changed', {
    details: `if_list_version: the list has version ${version}, not ${expected}; nothing was applied, read the list again (GET .../urls/lists)`,
    extra: { list_version: version },
  });
}

/**
 * Stores the result of a write: a new version if something changed, and what is retained. Returns the version that the
 * list then has.
 */
export async function closeList(
  tx: Queryable,
  actor: Actor,
  list: TargetList,
  { total, added, removed }: { total: number; added: number; removed: number },
): Promise<number> {
  const isChanged = list.version === 0 || added + removed > 0;
  const version = isChanged ? list.version + 1 : list.version;
  await queryRows(tx)`
    update url_lists set version = ${version}, total = ${total}, pushed_at = now() where id = ${list.id}`;
  if (!isChanged) return version;
  await queryRows(tx)`
    insert into url_list_versions (list_id, version, website_id, total, added, removed, actor_type, actor_id, actor_name)
    values (${list.id}, ${version}, ${list.websiteId}, ${total}, ${added}, ${removed}, ${actor.type}, ${actor.id}, ${actor.name})`;
  await recordAudit(tx, actor, {
    action: 'urls.changed',
    target: list.name,
    details: {
      website_id: list.websiteId,
      environment: list.environment,
      list_version: version,
      total,
      added,
      removed,
    },
  });
  await trimVersions(tx, list.id, version);
  return version;
}

/** Deletes states that are too old or too many. The newest one stays. */
async function trimVersions(tx: Queryable, listId: number, version: number): Promise<void> {
  await tx.execute(sql`
    delete from url_list_versions where list_id = ${listId} and version < ${version}
      and (version <= ${version - MAX_VERSIONS} or created_at < now() - make_interval(days => ${RETENTION_DAYS}))`);
  // A change leads from the version before it, which is not there any more.
  await tx.execute(sql`
    delete from url_list_changes where list_id = ${listId}
      and version <= (select min(version) from url_list_versions where list_id = ${listId})`);
}

export function listNotFound(details: string): DomainError {
  return new DomainError('LIST_NOT_FOUND', 'List not found', { details });
}
