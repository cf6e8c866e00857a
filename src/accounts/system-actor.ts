/** Actors of administration: nobody signed in, everything allowed, but always within one account. */
import { eq } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { accounts, apiKeys, users } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { normaliseEmail } from './user.ts';

export function systemActor(account: { id: number; plan: Plan }): Actor {
  const { id: accountId, plan } = account;
  return { accountId, plan, type: 'system', id: '', name: 'system', role: null, scope: null };
}

/** For the account that has a user of this address; USER_NOT_FOUND where none has. */
export async function systemActorByEmail(db: Queryable, email: string): Promise<Actor> {
  const address = normaliseEmail(email);
  const [account] = await db
    .select({ id: accounts.id, plan: accounts.plan })
    .from(accounts)
    .innerJoin(users, eq(users.accountId, accounts.id))
    .where(eq(users.email, address));
  if (!account)
    throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${address}` });
  return systemActor(account);
}

/** For the account that has the API key of this id; KEY_NOT_FOUND where none has. */
export async function systemActorByKey(db: Queryable, keyId: string): Promise<Actor> {
  const [account] = await db
    .select({ id: accounts.id, plan: accounts.plan })
    .from(accounts)
    .innerJoin(apiKeys, eq(apiKeys.accountId, accounts.id))
    .where(eq(apiKeys.id, keyId));
  if (!account)
    throw new DomainError('KEY_NOT_FOUND', 'API key not found', { details: `There is no API key ${keyId}` });
  return systemActor(account);
}
