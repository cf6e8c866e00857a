import { and, asc, eq, sql } from 'drizzle-orm';
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Queryable } from '../db/client.ts';
import { prepared } from '../db/prepared.ts';
import { queryRows } from '../db/rows.ts';
import { type websiteHosts, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { DomainError, missing } from '../vocabulary/error.ts';
import { proofOf, type TxtRecord } from './txt-record.ts';

/** A host as a client sets it. */
export type WebsiteHost = Pick<typeof websiteHosts.$inferSelect, 'hostname' | 'environment'>;

/** `verification` is the record that proves the host. Until it is verified, the website does not respond for it. */
export interface StoredHost extends WebsiteHost {
  verified: boolean;
  verification: TxtRecord;
}

/** The row of `websites`, which a writer gets with its lock. */
export type WebsiteRow = Omit<typeof websites.$inferSelect, 'redirects' | 'changedAt' | 'deletingSince'>;

/** Options of matching, of unmatched paths and of deployments. */
export type WebsiteOptions = Omit<WebsiteRow, 'id' | 'accountId' | 'name' | 'headRev' | 'createdAt' | 'updatedAt'>;

export interface Website extends WebsiteRow {
  hosts: StoredHost[];
  heldEnvironments: Environment[];
}

/** The error for an unknown website, a deleted one and one of another account. */
export function websiteNotFound(id: number | string): DomainError {
  const details = `website_id: there is no website ${id}`;
  return new DomainError('WEBSITE_NOT_FOUND', 'Website not found', { details });
}

/** Lists the websites that the actor reaches, oldest first. */
export async function listWebsites(db: Queryable, actor: Actor): Promise<Website[]> {
  return withHosts(db, await db.select().from(websites).where(isOwnWebsite(actor)).orderBy(asc(websites.id)));
}

/** Returns the website with its hosts. Throws WEBSITE_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireWebsite(db: Queryable, actor: Actor, id: number): Promise<Website> {
  const own = and(eq(websites.id, id), isOwnWebsite(actor));
  const rows = await prepared(db.select().from(websites).where(own));
  const [website] = await withHosts(db, rows);
  if (!website) throw websiteNotFound(id);
  return website;
}

/** Returns the given id, or the id of the account's only website. Throws MISSING_PARAMETER (400) if neither exists. */
export async function resolveWebsiteId(db: Queryable, actor: Actor, requested: number | undefined): Promise<number> {
  if (requested !== undefined) return requested;
  const [first, second] = await db.select().from(websites).where(isOwnWebsite(actor)).limit(2);
  if (first && !second) return first.id;
  throw missing('website_id', 'required unless the account has exactly one website');
}

const PROOF_PREFIX = 'detour-verification=';
/** 160 bits, so that no two accounts have the same value. */
const PROOF_DIGITS = 40;

async function withHosts(db: Queryable, rows: (typeof websites.$inferSelect)[]): Promise<Website[]> {
  if (rows.length === 0) return [];
  const ids = sql.param(rows.map((row) => row.id));
  const hosts = await queryRows<WebsiteHost & { websiteId: number; verified: boolean; proof: string }>(db)`
    select h.website_id, h.hostname, h.environment, h.verified, encode(sha256(convert_to(
        concat_ws(' ', (select value from settings where name = 'host_proof'), w.account_id, h.hostname), 'UTF8')), 'hex') as proof
    from website_hosts h join websites w on w.id = h.website_id
    where h.website_id = any(${ids}::int[]) order by h.position`;
  const held = await queryRows<{ websiteId: number; environment: Environment }>(db)`
    select website_id, environment from website_environments where website_id = any(${ids}::int[]) and held`;
  return rows.map((row) => ({
    ...row,
    hosts: hosts
      .filter((host) => host.websiteId === row.id)
      .map(({ hostname, environment, verified, proof }) => {
        const verification = proofOf(hostname, `${PROOF_PREFIX}${proof.slice(0, PROOF_DIGITS)}`);
        return { hostname, environment, verified, verification };
      }),
    heldEnvironments: inEnvironmentOrder(held.filter((at) => at.websiteId === row.id).map((at) => at.environment)),
  }));
}
