import { and, asc, containing, eq, sql, type SQL } from '../db/drizzle.ts';
import { hasRoleAt, isOwnWebsite } from '../accounts/website-scope.ts';
import type { Queryable } from '../db/connection/client.ts';
import { prepared } from '../db/prepared.ts';
import { queryRows } from '../db/rows.ts';
import { websites } from '../db/schema/websites.ts';
import { baseOf, wildcardsAbove } from '../resolver/host-table.ts';
import { type DomainRedirect, type Host, ruleHostsOf } from '../resolver/own-hosts.ts';
import type { Actor, WebsiteRole } from '../vocabulary/actor.ts';
import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { DomainError, missing } from '../vocabulary/error.ts';
import { proofOf, type TxtRecord } from './txt-record.ts';

/** A host as a client sets it. */
export type WebsiteHost = Host<Environment>;

/** `verification` is the record that proves the host. Until it is verified, the website does not respond for it. */
export interface StoredHost extends WebsiteHost {
  redirectTo: DomainRedirect | null;
  /** ascending in the order of the list, with gaps */
  position: number;
  verified: boolean;
  verification: TxtRecord;
}

/** The row of `websites`, which a writer gets with its lock. */
export type WebsiteRow = Omit<typeof websites.$inferSelect, 'redirects' | 'changedAt' | 'deletingSince'>;

/** Options of matching, of unmatched paths and of deployments. */
export type WebsiteOptions = Omit<
  WebsiteRow,
  'id' | 'accountId' | 'name' | 'headRev' | 'history' | 'createdAt' | 'updatedAt'
>;

export interface Website extends WebsiteRow {
  /** in a list of websites, the first 100 */
  hosts: StoredHost[];
  hostCount: number;
  heldEnvironments: Environment[];
}

/** The error for an unknown website, a deleted one and one of another account. */
export function websiteNotFound(id: number | string): DomainError {
  const details = `website_id: there is no website ${id}`;
  return new DomainError('WEBSITE_NOT_FOUND', 'Website not found', { details });
}

export interface WebsiteFilter {
  /** text in the name or in a host, ignoring case */
  q?: string | undefined;
  /** a hostname that the website has, itself or by a wildcard */
  host?: string | undefined;
}

/**
 * Lists the websites that the actor reaches, oldest first, each with its first 100 hosts. Hosts that a filter finds come
 * before the others.
 */
export async function listWebsites(db: Queryable, actor: Actor, { q, host }: WebsiteFilter = {}): Promise<Website[]> {
  const isFound = foundHosts(q, host);
  const hasHost = sql`exists (select from website_hosts h where h.website_id = ${websites.id} and ${isFound})`;
  const hasText = q === undefined ? undefined : sql`(${websites.name} ilike ${containing(q)} or ${hasHost})`;
  const rows = await db
    .select()
    .from(websites)
    .where(and(isOwnWebsite(actor), hasText, host === undefined ? undefined : hasHost))
    .orderBy(asc(websites.id));
  return withHosts(db, rows, MAX_LISTED_HOSTS, isFound);
}

/** A condition on rows `h` of website_hosts. */
function foundHosts(q: string | undefined, host: string | undefined): SQL {
  const name = host?.toLowerCase();
  return sql.join(
    [
      ...(q === undefined ? [] : [sql`h.hostname ilike ${containing(q)}`]),
      ...(name === undefined ? [] : [sql`h.hostname = any(${sql.param([name, ...wildcardsAbove(name)])}::text[])`]),
      sql`true`,
    ],
    sql` and `,
  );
}

/** Returns the website with its hosts. Throws WEBSITE_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireWebsite(db: Queryable, actor: Actor, id: number): Promise<Website> {
  const [website] = await withHosts(db, [await requireWebsiteRow(db, actor, id)], MAX_HOSTS);
  if (!website) throw websiteNotFound(id);
  return website;
}

type StoredWebsite = typeof websites.$inferSelect;

/** As requireWebsite, without its hosts, which may be 10,000. */
export async function requireWebsiteRow(db: Queryable, actor: Actor, id: number): Promise<StoredWebsite> {
  const own = and(eq(websites.id, id), isOwnWebsite(actor));
  const [row] = await prepared(db.select().from(websites).where(own));
  if (!row) throw websiteNotFound(id);
  return row;
}

/** As requireWebsiteRow, for a write. Throws INSUFFICIENT_ROLE if the user is no editor of the website now. */
export async function requireEditableRow(db: Queryable, actor: Actor, id: number): Promise<StoredWebsite> {
  const row = await requireWebsiteRow(db, actor, id);
  await requireRoleAt(db, actor, id, 'editor');
  return row;
}

/** Throws WEBSITE_NOT_FOUND or INSUFFICIENT_ROLE, for a website that the actor reached when its request began. */
export async function requireRoleAt(db: Queryable, actor: Actor, id: number, least: WebsiteRole): Promise<void> {
  if (!(await hasRoleAt(db, actor, id, least))) throw websiteNotFound(id);
}

/** Returns the given id, or the id of the only website that the actor reaches. Throws MISSING_PARAMETER (400) if neither exists. */
export async function resolveWebsiteId(db: Queryable, actor: Actor, requested: number | undefined): Promise<number> {
  if (requested !== undefined) return requested;
  const [first, second] = await db.select().from(websites).where(isOwnWebsite(actor)).limit(2);
  if (first && !second) return first.id;
  throw missing('website_id', 'required unless the account has exactly one website');
}

/** Hosts of one website. */
export const MAX_HOSTS = 10_000;
/** A body with hosts. Each field beside them has at most 64 KiB in a body of more than 1 MiB. */
export const HOSTS_BODY_BYTES = 16 * 1024 * 1024;
/** Hosts of each website in a list of websites. */
const MAX_LISTED_HOSTS = 100;

const PROOF_PREFIX = 'detour-verification=';
/** 160 bits, so that no two accounts have the same value. */
const PROOF_DIGITS = 40;

/** The domain redirect of a row `h` of website_hosts as JSON; null if it has none. */
export const redirectToSql = sql`case when h.redirect_url is not null then json_build_object('url', h.redirect_url,
  'statusCode', h.redirect_status_code, 'keepPath', h.redirect_keep_path) end`;

type HostRow = Omit<StoredHost, 'verification'> & { websiteId: number; proof: string };

/** Returns the hosts of a website. One query. */
export async function readHosts(db: Queryable, { id }: Pick<WebsiteRow, 'id'>): Promise<WebsiteHost[]> {
  return queryRows<WebsiteHost>(db, { isConstant: true })`
    select h.hostname, h.environment, ${redirectToSql} as redirect_to from website_hosts h where h.website_id = ${id}`;
}

/** The hosts of a website, as far as they decide about an absolute target. */
export function targetHostsOf({
  allowedTargetHosts,
  hosts,
}: Pick<Website, 'allowedTargetHosts'> & { hosts: readonly WebsiteHost[] }) {
  return { allowedTargetHosts, servesRules: ruleHostsOf(hosts) };
}

/**
 * Adds the first `maxHosts` hosts of each website, those that `isFirst` selects before others. A wildcard has the proof
 * of the name above it.
 */
async function withHosts(
  db: Queryable,
  rows: (typeof websites.$inferSelect)[],
  maxHosts: number,
  isFirst: SQL = sql`true`,
): Promise<Website[]> {
  if (rows.length === 0) return [];
  const ids = sql.param(rows.map((row) => row.id));
  const hosts = await queryRows<HostRow>(db, { isConstant: true })`
    select h.website_id, h.hostname, h.environment, h.position, h.verified, ${redirectToSql} as redirect_to, encode(sha256(convert_to(
        concat_ws(' ', (select value from settings where name = 'host_proof'), w.account_id, regexp_replace(h.hostname, '^\\*\\.', '')),
        'UTF8')), 'hex') as proof
    from websites w cross join lateral
      (select website_id, hostname, environment, verified, position, redirect_url, redirect_status_code, redirect_keep_path,
          ${isFirst} as is_first
        from website_hosts h where website_id = w.id order by is_first desc, position limit ${maxHosts}) h
    where w.id = any(${ids}::int[]) order by h.website_id, h.is_first desc, h.position`;
  const counts = await queryRows<{ websiteId: number; count: number }>(db)`
    select website_id, count(*)::int as count from website_hosts where website_id = any(${ids}::int[]) group by website_id`;
  const held = await queryRows<{ websiteId: number; environment: Environment }>(db)`
    select website_id, environment from website_environments where website_id = any(${ids}::int[]) and held`;
  const hostsOf = Map.groupBy(hosts, (host) => host.websiteId);
  const countOf = new Map(counts.map(({ websiteId, count }) => [websiteId, count]));
  return rows.map((row) => ({
    ...row,
    hosts: (hostsOf.get(row.id) ?? []).map(storedHost),
    hostCount: countOf.get(row.id) ?? 0,
    heldEnvironments: inEnvironmentOrder(held.filter((at) => at.websiteId === row.id).map((at) => at.environment)),
  }));
}

/** A domain redirect as the API and files have it. */
export function domainRedirectWire({ url, statusCode, keepPath }: DomainRedirect) {
  return { url, status_code: statusCode, keep_path: keepPath };
}

function storedHost({ websiteId: _websiteId, proof, ...host }: HostRow): StoredHost {
  return { ...host, verification: proofOf(baseOf(host.hostname), `${PROOF_PREFIX}${proof.slice(0, PROOF_DIGITS)}`) };
}
