import { and, count, eq, gt, isNull, or } from 'drizzle-orm';
import type { Db, Queryable } from '../db/client.ts';
import { accounts, apiKeys, redirects, users, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { generatePassword } from './password.ts';
import { checkNewUser, insertUser, type User } from './user.ts';

export interface Account {
  id: number;
  plan: Plan;
  createdAt: Date;
}

export interface AccountWithUsage extends Account {
  /** keys: those that can be used; redirects: of all websites, drafts too */
  usage: { users: number; apiKeys: number; websites: number; redirects: number };
}

/**
 * A new account and its owner. `password` in the answer is the one given, or one that was made: it is not to be had again.
 * 422 for an address or password that breaks a rule, CONFLICT for an address in use; either way nothing is created.
 */
export async function createAccount(
  db: Db,
  input: { email: string; plan: Plan; password?: string | undefined },
): Promise<{ account: Account; user: User; password: string }> {
  const { email, plan, password = generatePassword() } = input;
  const owner = await checkNewUser({ email, role: 'owner', password });
  return db.transaction(async (tx) => {
    const [account] = await tx.insert(accounts).values({ plan }).returning();
    if (!account) throw new Error('insert returned nothing');
    return { account, user: await insertUser(tx, account.id, owner), password };
  });
}

/** The plan holds from the next request on every process: none keeps a copy. */
export async function setPlan(db: Queryable, actor: Actor, plan: Plan): Promise<Account> {
  const [account] = await db
    .update(accounts)
    .set({ plan })
    .where(eq(accounts.id, actor.accountId))
    .returning();
  return account ?? noAccount(actor);
}

/** Counts as they are now. The redirects are counted in an index: some 80 ms for a million. */
export async function accountWithUsage(db: Queryable, actor: Actor, now: Date): Promise<AccountWithUsage> {
  const id = actor.accountId;
  const kept = and(eq(websites.accountId, id), isNull(websites.deletingSince));
  const usable = and(
    eq(apiKeys.accountId, id),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );
  const [account] = await db.select().from(accounts).where(eq(accounts.id, id));
  const [ofUsers] = await db.select({ n: count() }).from(users).where(eq(users.accountId, id));
  const [ofKeys] = await db.select({ n: count() }).from(apiKeys).where(usable);
  const [ofWebsites] = await db.select({ n: count() }).from(websites).where(kept);
  const [ofRedirects] = await db
    .select({ n: count() })
    .from(redirects)
    .innerJoin(websites, eq(websites.id, redirects.websiteId))
    .where(kept);
  const usage = {
    users: ofUsers?.n ?? 0,
    apiKeys: ofKeys?.n ?? 0,
    websites: ofWebsites?.n ?? 0,
    redirects: ofRedirects?.n ?? 0,
  };
  return { ...(account ?? noAccount(actor)), usage };
}

function noAccount(actor: Actor): never {
  throw new DomainError('NOT_FOUND', 'Account not found', {
    details: `There is no account ${actor.accountId}`,
  });
}

/** False on a database where nobody has an account yet. */
export async function hasAccounts(db: Queryable): Promise<boolean> {
  const found = await db.select({ id: accounts.id }).from(accounts).limit(1);
  return found.length > 0;
}
