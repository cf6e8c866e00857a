/** People limited to websites: which ones they reach, and their role at each. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { eq, sql } from '../db/drizzle.ts';
import { users } from '../db/schema/accounts.ts';
import { userWebsites } from '../db/schema/websites.ts';
import type { Actor, Role, WebsiteRoles } from '../vocabulary/actor.ts';
import { invalid, validationError } from '../vocabulary/error.ts';
import { endKeysOf } from './api-key.ts';
import { recordAudit } from './audit.ts';
import { lockUser, type User } from './user.ts';
import { ownWebsiteIds } from './website-scope.ts';

export interface UserLimit {
  id: number;
  /** null: all websites, with the role in the account */
  websiteRoles: WebsiteRoles | null;
  keepKeys?: boolean | undefined;
}

/**
 * Limits a user to websites, or lifts the limit. The sessions of the user have it from their next request. A limit revokes
 * the API keys that the user has created, unless `keepKeys`, and returns them. Throws USER_NOT_FOUND, and as
 * checkWebsiteRoles.
 */
export async function limitUser(
  db: Db,
  actor: Actor,
  { id, websiteRoles, keepKeys = false }: UserLimit,
  now: Date,
): Promise<{ user: User; keys: string[] }> {
  return db.transaction(async (tx) => {
    const before = await lockUser(tx, actor, id);
    await checkWebsiteRoles(tx, actor, before.role, websiteRoles);
    await tx
      .update(users)
      .set({ isLimited: websiteRoles !== null })
      .where(eq(users.id, id));
    await tx.delete(userWebsites).where(eq(userWebsites.userId, id));
    await storeWebsiteRoles(tx, id, websiteRoles ?? {});
    const user = await lockUser(tx, actor, id);
    const details = { before: before.websiteRoles, after: user.websiteRoles };
    if (JSON.stringify(details.before) !== JSON.stringify(details.after))
      await recordAudit(tx, actor, { action: 'user.websites_changed', target: user.email, details });
    const keys = websiteRoles ? await endKeysOf(tx, actor, { userId: id, keep: keepKeys, now }) : [];
    return { user, keys: keepKeys ? [] : keys };
  });
}

/** Throws VALIDATION_ERROR for a limit of an owner, and for each website that the account does not have. */
export async function checkWebsiteRoles(
  db: Queryable,
  actor: Actor,
  role: Role,
  roles: WebsiteRoles | null | undefined,
): Promise<void> {
  if (!roles) return;
  if (role === 'owner') throw invalid('website_roles', 'an owner cannot be limited to websites; choose another role');
  const names = Object.keys(roles);
  const own = await ownWebsiteIds(db, actor, names.filter(isId).map(Number));
  const unknown = names.filter((name) => !isId(name) || !own.has(Number(name)));
  if (unknown.length === 0) return;
  const issue = (name: string) => ({ path: 'website_roles', message: `there is no website ${name.slice(0, 100)}` });
  throw validationError(unknown.slice(0, MAX_ISSUES).map((name) => ({ ...issue(name), code: 'VALIDATION_ERROR' })));
}

const MAX_ISSUES = 100;

const isId = (name: string): boolean => /^[1-9]\d{0,9}$/.test(name);

/** Stores the roles of a limited user. A website that is deleted by now is left out. */
export async function storeWebsiteRoles(tx: Queryable, userId: number, roles: WebsiteRoles): Promise<void> {
  await tx.execute(sql`
    insert into user_websites (user_id, website_id, role)
    select ${userId}::int, w.id, r.value from jsonb_each_text(${JSON.stringify(roles)}::jsonb) r
    join users u on u.id = ${userId} join websites w on w.id = r.key::bigint and w.account_id = u.account_id
    where w.deleting_since is null`);
}
