/** How surface C writes accounts: each schema is the JSON that clients see, each function brings the domain's object into it. */
import { z } from 'zod';
import type { AccountWithUsage } from '../../accounts/account.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import type { Session } from '../../accounts/session.ts';
import type { User } from '../../accounts/user.ts';
import { Timestamp } from '../../http/fields.ts';
import { type Actor, ROLES, SCOPES } from '../../vocabulary/actor.ts';
import { PLAN_NAMES, PLANS } from '../../vocabulary/plan.ts';

export const Plan = z.enum(PLAN_NAMES);
export const Role = z.enum(ROLES);
export const Scope = z.enum(SCOPES);

export const SignedIn = z
  .object({ id: z.int(), email: z.string(), role: Role, plan: Plan })
  .meta({ id: 'SignedIn' });

export function toSignedIn({ id, name, role, plan }: Actor): z.output<typeof SignedIn> {
  return { id: Number(id), email: name, role: role ?? 'viewer', plan };
}

export const AccountUser = z
  .object({ id: z.int(), email: z.string(), role: Role, created_at: Timestamp })
  .meta({ id: 'User' });

export function toUser(user: User): z.output<typeof AccountUser> {
  return { id: user.id, email: user.email, role: user.role, created_at: user.createdAt };
}

export const UserSession = z
  .object({
    id: z.string(),
    user_agent: z.string().nullable(),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
    current: z.boolean(),
  })
  .meta({ id: 'Session' });

export function toSession(session: Session, currentId: string): z.output<typeof UserSession> {
  return {
    id: session.id,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_seen_at: session.seenAt,
    expires_at: session.expiresAt,
    current: session.id === currentId,
  };
}

export const AccountKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: Scope,
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

/** The only answer that ever holds the key itself. */
export const CreatedKey = AccountKey.extend({ key: z.string() }).meta({ id: 'CreatedApiKey' });

export function toKey(key: ApiKey): z.output<typeof AccountKey> {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.usedAt,
  };
}

export const Account = z
  .object({
    id: z.int(),
    plan: Plan,
    created_at: Timestamp,
    usage: z.object({ users: z.int(), api_keys: z.int(), websites: z.int(), redirects: z.int() }),
    limits: z.object({
      requests_per_minute: z.int(),
      redirects_per_bulk_call: z.int(),
      api_access: z.boolean(),
      analytics: z.boolean(),
      webhooks: z.boolean(),
    }),
  })
  .meta({ id: 'Account' });

export function toAccount({ id, plan, createdAt, usage }: AccountWithUsage): z.output<typeof Account> {
  const { requestsPerMinute, bulkImportMax, apiAccess, analytics, webhooks } = PLANS[plan];
  return {
    id,
    plan,
    created_at: createdAt,
    usage: {
      users: usage.users,
      api_keys: usage.apiKeys,
      websites: usage.websites,
      redirects: usage.redirects,
    },
    limits: {
      requests_per_minute: requestsPerMinute,
      redirects_per_bulk_call: bulkImportMax,
      api_access: apiAccess,
      analytics,
      webhooks,
    },
  };
}
