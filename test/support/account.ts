/** Accounts and users with the password PASSWORD. Hashing it as the service does would take 36 ms each time. */
import { recordAudit } from '../../src/accounts/audit.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { insertUser, type User } from '../../src/accounts/user.ts';
import type { Db } from '../../src/db/connection/client.ts';
import { accounts } from '../../src/db/schema/accounts.ts';
import type { Actor, Role } from '../../src/vocabulary/actor.ts';
import type { Plan } from '../../src/vocabulary/plan.ts';

export const PASSWORD = 'correct horse battery';
/** The hash of PASSWORD at the lowest cost of argon2id. A sign-in verifies with the cost that the hash names. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$dGVzdCBzYWx0IDE2Ynl0ZQ$XsCa2es62EHQMvvmaRp4OlIZK+v6emMPwLEGNe80uS8';

/** Stores an account and its owner, with the audit entry of createAccount. Returns the account's system actor too. */
export async function storeAccount(
  db: Db,
  { email, plan }: { email: string; plan: Plan },
): Promise<{ actor: Actor; user: User }> {
  return db.transaction(async (tx) => {
    const [account] = await tx.insert(accounts).values({ plan }).returning();
    if (!account) throw new Error('insert returned nothing');
    const actor = systemActor(account);
    const user = await insertUser(tx, account.id, { email, role: 'owner', passwordHash });
    await recordAudit(tx, actor, { action: 'account.created', target: email, details: { plan } });
    return { actor, user };
  });
}

/** Stores a user of the account, with the audit entry of addUser. */
export async function storeUser(db: Db, actor: Actor, { email, role }: { email: string; role: Role }): Promise<User> {
  return db.transaction(async (tx) => {
    const user = await insertUser(tx, actor.accountId, { email, role, passwordHash });
    await recordAudit(tx, actor, { action: 'user.added', target: email, details: { role } });
    return user;
  });
}
