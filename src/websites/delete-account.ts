/** Deletes an account and everything of it: what serves and who may sign in at once, the rows in small batches. */
import { recordAudit, takeDeletionLine } from '../accounts/audit.ts';
import type { Db } from '../db/connection/client.ts';
import { and, eq, isNull, sql } from '../db/drizzle.ts';
import { apiKeys, invitations, users } from '../db/schema/accounts.ts';
import { webhooks } from '../db/schema/webhooks.ts';
import { websiteHosts, websites } from '../db/schema/websites.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { changedNow } from './store.ts';
import { writeTransaction } from './write-website.ts';

/**
 * Ends the account: its users, sessions, API keys and webhooks are gone, and its websites have no hosts. Returns the
 * ids of the websites, which the caller announces to all processes. purgeDeletedAccounts and purgeDeletedWebsites
 * delete the other rows. Throws BUSY if a website stays locked by another write.
 */
export async function deleteAccount(db: Db, actor: Actor): Promise<number[]> {
  const { accountId } = actor;
  return writeTransaction(db, actor, async (tx) => {
    await recordAudit(tx, actor, { action: 'account.deleted' });
    const ended = await tx
      .update(websites)
      .set({ deletingSince: sql`clock_timestamp()`, changedAt: changedNow })
      .where(and(eq(websites.accountId, accountId), isNull(websites.deletingSince)))
      .returning({ id: websites.id });
    for (const { id } of ended) await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, id));
    await tx.delete(webhooks).where(eq(webhooks.accountId, accountId));
    await tx.delete(apiKeys).where(eq(apiKeys.accountId, accountId));
    // Before the users: an invitation accepted meanwhile adds one.
    await tx.delete(invitations).where(eq(invitations.accountId, accountId));
    await tx.delete(users).where(eq(users.accountId, accountId));
    return ended.map(({ id }) => id);
  });
}

/** Rows per delete, so that its locks and WAL are small. */
const BATCH_SIZE = 5_000;

/**
 * Deletes at most one batch of rows of deleted accounts: those without users. Their row goes last, when their websites
 * are deleted. Returns true if there may be more; call it again then. Safe to run in several processes at a time.
 * `logAudit` gets the line of a deletion by the admin command, which has another log.
 */
export async function purgeDeletedAccounts(
  db: Db,
  logAudit: (line: Record<string, unknown>) => void,
): Promise<boolean> {
  const { rows } = await db.execute<{ id: number }>(sql`
    select a.id from accounts a where not exists (select from users u where u.account_id = a.id) order by a.id limit 10`);
  if (rows.length === 0) return false;
  const tables = await accountTables(db);
  for (const { id } of rows) {
    const line = await takeDeletionLine(db, id);
    if (line) logAudit(line);
    if (await deleteParts(db, id)) return true;
    for (const table of tables) {
      const name = sql.identifier(table);
      const { rowCount } = await db.execute(sql`
        delete from ${name} where account_id = ${id}
          and ctid = any(array(select ctid from ${name} where account_id = ${id} limit ${BATCH_SIZE}))`);
      if (rowCount) return true;
    }
    await db.execute(sql`
      delete from accounts a where id = ${id} and not exists (select from websites w where w.account_id = a.id)
        and not exists (select from users u where u.account_id = a.id)`);
  }
  return false;
}

/** Rows that belong to an account by another row: deletes a batch of them before that row is deleted. */
async function deleteParts(db: Db, accountId: number): Promise<boolean> {
  const attempts = await db.execute(sql`
    delete from attempts where delivery_id in (select d.id from deliveries d
      where d.account_id = ${accountId} and exists (select from attempts a where a.delivery_id = d.id) limit ${BATCH_SIZE})`);
  const errors = await db.execute(sql`
    delete from import_errors e using (select e.import_id, e.n from imports i join import_errors e on e.import_id = i.id
      where i.account_id = ${accountId} limit ${BATCH_SIZE}) found
    where e.import_id = found.import_id and e.n = found.n`);
  return Boolean(attempts.rowCount) || Boolean(errors.rowCount);
}

/** Every table with an account_id, from the catalog, so that a later table is not forgotten; websites go separately. */
async function accountTables(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'account_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace and c.relname <> 'websites' order by c.relname`);
  return rows.map(({ name }) => name);
}
