import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { websiteEnvironments, websiteHosts, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { DomainError } from '../vocabulary/error.ts';

export interface WebsiteHost {
  hostname: string;
  environment: Environment;
}

/** How a website's rules are matched, and where a path goes that no rule matches. */
export interface WebsiteOptions {
  caseSensitive: boolean;
  trailingSlash: 'ignore' | 'exact';
  query: 'pass' | 'drop' | 'exact';
  fallbackUrl: string | null;
  allowedTargetHosts: string[];
  autoDeploy: boolean;
  onLoop: 'warn' | 'fail';
}

/** The row alone: what a writer gets together with its lock. */
export interface WebsiteRow extends WebsiteOptions {
  id: number;
  accountId: number;
  name: string;
  headRev: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface Website extends WebsiteRow {
  hosts: WebsiteHost[];
  heldEnvironments: Environment[];
}

const ofAccount = (actor: Actor) =>
  and(eq(websites.accountId, actor.accountId), isNull(websites.deletingSince));

/** The refusal for another account's website, a deleted one and one that never was: all the same. */
export function websiteNotFound(id: number | string): DomainError {
  return new DomainError('WEBSITE_NOT_FOUND', 'Website not found', {
    details: `website_id: there is no website ${id}`,
  });
}

/** The account's websites, oldest first. */
export async function listWebsites(db: Queryable, actor: Actor): Promise<Website[]> {
  return withHosts(db, await db.select().from(websites).where(ofAccount(actor)).orderBy(asc(websites.id)));
}

/** The website with its hosts; WEBSITE_NOT_FOUND where it is not the account's. */
export async function requireWebsite(db: Queryable, actor: Actor, id: number): Promise<Website> {
  const rows = await db
    .select()
    .from(websites)
    .where(and(eq(websites.id, id), ofAccount(actor)));
  const [website] = await withHosts(db, rows);
  if (!website) throw websiteNotFound(id);
  return website;
}

/** The account's one website, for calls that name none; undefined where it has none or several. */
export async function onlyWebsiteId(db: Queryable, actor: Actor): Promise<number | undefined> {
  const rows = await db.select({ id: websites.id }).from(websites).where(ofAccount(actor)).limit(2);
  return rows.length === 1 ? rows[0]?.id : undefined;
}

/** The website that the call names, or the account's only one; 400 MISSING_PARAMETER where neither tells. */
export async function resolveWebsiteId(
  db: Queryable,
  actor: Actor,
  named: number | undefined,
): Promise<number> {
  const id = named ?? (await onlyWebsiteId(db, actor));
  if (id !== undefined) return id;
  throw new DomainError('MISSING_PARAMETER', 'website_id is required', {
    details: 'website_id: say which website; it may be left out only where the account has exactly one',
  });
}

async function withHosts(db: Queryable, rows: (typeof websites.$inferSelect)[]): Promise<Website[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const hosts = await db
    .select()
    .from(websiteHosts)
    .where(inArray(websiteHosts.websiteId, ids))
    .orderBy(asc(websiteHosts.position));
  const held = await db
    .select({ websiteId: websiteEnvironments.websiteId, environment: websiteEnvironments.environment })
    .from(websiteEnvironments)
    .where(and(inArray(websiteEnvironments.websiteId, ids), eq(websiteEnvironments.held, true)));
  return rows.map((row) => ({
    ...row,
    hosts: hosts
      .filter((host) => host.websiteId === row.id)
      .map(({ hostname, environment }) => ({ hostname, environment })),
    heldEnvironments: inEnvironmentOrder(
      held.filter((at) => at.websiteId === row.id).map((at) => at.environment),
    ),
  }));
}
