import type { Db, Queryable } from '../db/connection/client.ts';
import { and, eq } from '../db/drizzle.ts';
import { accounts, apiKeys, users } from '../db/schema/accounts.ts';
import type { Actor, Origin } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { isUsable } from './api-key.ts';
import { recordAudit } from './audit.ts';
import { generatePassword } from './sign-in/password.ts';
import { type QuotaUsage, readUrlUsage, readUsage } from './quota.ts';
import { systemActor } from './system-actor.ts';
import { checkNewUser, insertUser, type User } from './user.ts';
import { isOwnWebsite } from './website-scope.ts';

export type Account = typeof accounts.$inferSelect;

export interface AccountWithUsage extends Account {
  /**
   * apiKeys: neither revoked nor expired; websites and redirects: those that the actor reaches. A person limited to
   * websites sees no other users and no keys.
   */
  usage: QuotaUsage & { users: number; apiKeys: number; urls: number };
}

/**
 * Creates an account and its owner. Returns the given or a generated password; it cannot be read again. Throws
 * VALIDATION_ERROR for an invalid email or password and CONFLICT for an email in use, and creates nothing then.
 */
export async function createAccount(
  db: Db,
  input: { email: string; plan: Plan; password?: string | undefined },
  origin?: Origin,
): Promise<{ account: Account; user: User; password: string }> {
  const { email, plan, password = generatePassword() } = input;
  const owner = await checkNewUser({ email, role: 'owner', password });
  return db.transaction(async (tx) => {
    const [account] = await tx.insert(accounts).values({ plan }).returning();
    if (!account) throw new Error('insert returned nothing');
    const user = await insertUser(tx, account.id, owner);
    await recordAudit(tx, systemActor(account, origin), {
      action: 'account.created',
      target: user.email,
      details: { plan },
    });
    return { account, user, password };
  });
}

/** Sets the plan. It applies from the next request on every process, because plans are not cached. */
export async function setPlan(db: Db, actor: Actor, plan: Plan): Promise<Account> {
  const own = eq(accounts.id, actor.accountId);
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(accounts).where(own).for('no key update');
    const [account] = await tx.update(accounts).set({ plan }).where(own).returning();
    if (!before || !account) return noAccount(actor);
    const details = { before: before.plan, after: plan };
    await recordAudit(tx, actor, { action: 'account.plan_changed', target: null, details });
    return account;
  });
}

export async function accountWithUsage(db: Queryable, actor: Actor, now: Date): Promise<AccountWithUsage> {
  const id = actor.accountId;
  const [account] = await db.select().from(accounts).where(eq(accounts.id, id));
  const isLimited = actor.editableIds !== undefined;
  const usage = {
    users: isLimited ? 1 : await db.$count(users, eq(users.accountId, id)),
    apiKeys: isLimited ? 0 : await db.$count(apiKeys, and(eq(apiKeys.accountId, id), isUsable(now))),
    ...(await readUsage(db, isOwnWebsite(actor))),
    urls: await readUrlUsage(db, isOwnWebsite(actor)),
  };
  return { ...(account ?? noAccount(actor)), usage };
}

function noAccount(actor: Actor): never {
  const details = `There is no account ${actor.accountId}`;
  throw new DomainError('NOT_FOUND', 'Account not found', { details });
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  return (await db.select().from(accounts).limit(1)).length > 0;
}
