/** The row of `imports` from start to end: other requests read status and progress from it (redirects/import/verdicts/find-import.ts). */
import type { Db, Queryable } from '../../../db/connection/client.ts';
import { eq, sql } from '../../../db/drizzle.ts';
import { isInstanceAlive } from '../../../db/instance.ts';
import { queryRows } from '../../../db/rows.ts';
import { imports } from '../../../db/schema/redirects.ts';
import { findStages, stageName } from '../../../db/stage-table.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import { storable } from './error-log.ts';

/** A file, a call of the key API, or a sync. */
export type ImportSource = (typeof imports.$inferSelect)['source'];

interface StartedImport extends Pick<typeof imports.$inferSelect, 'id' | 'source' | 'owner'> {
  websiteId?: number | undefined;
  fileName?: string | undefined;
}

/** Throws CONFLICT if the id is taken. `owner` is the instance id of this process. */
export async function recordStart(db: Db, actor: Actor, started: StartedImport): Promise<void> {
  const { id, source, owner, websiteId = null, fileName = null } = started;
  const { rowCount } = await db.execute(sql`
    insert into imports (id, account_id, website_id, source, status, owner, file_name, actor_type, actor_id, actor_name, created_at)
    values (${id}, ${actor.accountId}, ${websiteId}, ${source}, 'running', ${owner}, ${fileName && storable(fileName)},
      ${actor.type}, ${actor.id}, ${actor.name}, clock_timestamp())
    on conflict (id) do nothing`);
  if (rowCount) return;
  throw new DomainError('CONFLICT', 'An import with this id exists', {
    details: `import_id: ${id} was sent before; read that import, or send another id`,
    issues: [{ path: 'import_id', code: 'CONFLICT', message: 'was sent before' }],
  });
}

/**
 * Records what is known of a running import: its progress, and its website as soon as the body names it, so that lists
 * show an import that is still sent, or broke off.
 */
export async function updateImport(
  db: Db,
  id: string,
  known: Partial<Pick<typeof imports.$inferSelect, 'websiteId' | 'dryRun' | 'received' | 'bytes'>>,
): Promise<void> {
  await db.update(imports).set(known).where(eq(imports.id, id));
}

/** Returns the time of completion. */
export async function recordCompletion(
  tx: Queryable,
  id: string,
  summary: { total_submitted: number },
  changeId: string | null,
) {
  const [row] = await queryRows<{ completedAt: string }>(tx)`
    update imports set status = 'completed', received = ${summary.total_submitted}, summary = ${JSON.stringify(summary)}::jsonb,
      change_id = ${changeId}::text, completed_at = clock_timestamp() where id = ${id} returning completed_at`;
  return new Date(row?.completedAt ?? 0);
}

export async function recordFailure(db: Db, id: string, error: unknown): Promise<void> {
  const reason = error instanceof DomainError ? `${error.code}: ${error.details || error.message}` : 'INTERNAL_ERROR';
  await db.execute(sql`
    update imports set status = 'failed', error = ${reason}, completed_at = clock_timestamp() where id = ${id} and status = 'running'`);
}

const STOPPED =
  'INTERNAL_ERROR: the service or its database stopped while the import was running; nothing was applied, send it again';

/** Imports of this process whose failure could not be recorded, because the database was unavailable, with accounts. */
const unrecorded = new Map<string, number>();

/**
 * Ends an import whose thread or database connection ended: PostgreSQL rolls it back. Does nothing to an import that
 * was committed. If it throws, cleanUpImports tries again.
 */
export async function abandonImport(db: Db, { accountId }: Pick<Actor, 'accountId'>, id: string): Promise<void> {
  unrecorded.set(id, accountId);
  await db.execute(sql`
    update imports set status = 'failed', completed_at = clock_timestamp(), error = ${STOPPED}
    where id = ${id} and account_id = ${accountId} and status = 'running'`);
  unrecorded.delete(id);
}

/** A dry run with a report reads its table for a while after its end. */
const STAGE_RETENTION = sql`interval '10 minutes'`;

/**
 * Cleans up after crashes and outages. Marks the running imports of crashed processes as failed, and those of this
 * process that ended while the database was unavailable: nothing of them was applied. Drops the staging tables of
 * imports that do not run. Runs at start and periodically; safe in several processes at once.
 */
export async function cleanUpImports(db: Db): Promise<void> {
  for (const [id, accountId] of unrecorded) await abandonImport(db, { accountId }, id);
  const stages = await findStages(db, 'import');
  const used = await queryRows<{ id: string; owner: number; status: string }>(
    db,
  )`select id, owner, status from imports where status = 'running' or completed_at > clock_timestamp() - ${STAGE_RETENTION}`;
  const running = used.filter(({ status }) => status === 'running');
  const crashed = new Set<number>();
  for (const owner of new Set([...stages, ...running].map((row) => row.owner))) {
    if (!(await isInstanceAlive(db, owner))) crashed.add(owner);
  }
  const tables = new Set(used.map(({ id, owner }) => stageName('import', owner, id)));
  for (const { table, owner } of stages) {
    if (crashed.has(owner) || !tables.has(table)) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
  }
  for (const owner of crashed) {
    await db.execute(sql`
      update imports set status = 'failed', completed_at = clock_timestamp(), error = ${STOPPED}
      where status = 'running' and owner = ${owner}`);
  }
}
