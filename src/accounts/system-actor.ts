/** Actors of the admin command: without a user, with all permissions, within one account. */
import type { Queryable } from '../db/connection/client.ts';
import { eq } from '../db/drizzle.ts';
import { accounts, apiKeys, users } from '../db/schema/accounts.ts';
import type { Actor, Origin } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { normaliseEmail } from './user.ts';

export function systemActor({ id: accountId, plan }: { id: number; plan: Plan }, origin?: Origin): Actor {
  const system = { type: 'system', id: '', name: 'system', role: null, scope: null } as const;
  return { accountId, plan, ...system, ...(origin && { origin }) };
}

/** Returns the system actor for the account of the user. Throws USER_NOT_FOUND if there is no such user. */
export async function systemActorByEmail(db: Queryable, email: string, origin?: Origin): Promise<Actor> {
  const address = normaliseEmail(email);
  const [found] = await db
    .select()
    .from(accounts)
    .innerJoin(users, eq(users.accountId, accounts.id))
    .where(eq(users.email, address));
  if (found) return systemActor(found.accounts, origin);
  throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${address}` });
}

/** Returns the system actor for the account of the API key. Throws KEY_NOT_FOUND if there is no such key. */
export async function systemActorByKey(db: Queryable, keyId: string, origin?: Origin): Promise<Actor> {
  const [found] = await db
    .select()
    .from(accounts)
    .innerJoin(apiKeys, eq(apiKeys.accountId, accounts.id))
    .where(eq(apiKeys.id, keyId));
  if (found) return systemActor(found.accounts, origin);
  throw new DomainError('KEY_NOT_FOUND', 'API key not found', { details: `There is no API key ${keyId}` });
}
