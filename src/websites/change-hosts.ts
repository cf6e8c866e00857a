/** Adds hosts to a website, and removes them. The work grows with the given hosts, not with those of the website. */
import { isDeepStrictEqual } from 'node:util';
import type { Db, Tx } from '../db/connection/client.ts';
import { eq, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { websites } from '../db/schema/websites.ts';
import { changeTime } from '../platform/clock.ts';
import { isWildcard, wildcardsAbove } from '../resolver/host-table.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { auditHosts } from './audit-change.ts';
import { type CheckedHost, tooManyHosts } from './check-hosts.ts';
import { checkFallbackIsElsewhere } from './check-website.ts';
import { assertNoDomainLoop } from './domain-loops.ts';
import type { HostRules } from './service-hosts.ts';
import { changedNow } from './store.ts';
import {
  assertNoForeignWildcard,
  deleteCredentials,
  deleteHosts,
  insertHosts,
  namesOf,
  type PlacedHost,
} from './store-hosts.ts';
import { MAX_HOSTS, redirectToSql } from './website.ts';
import { type LockedWebsite, lockWebsite, releaseRevision, writeTransaction } from './write-website.ts';

export interface AddedHosts {
  added: number;
  updated: number;
  unchanged: number;
  hostCount: number;
}

export interface RemovedHosts {
  removed: number;
  /** names that are no hosts of the website */
  unknown: number;
  hostCount: number;
}

/**
 * Adds the hosts at the end of the list; one that the website has gets the given values. A verified host stays verified.
 * Throws TOO_MANY_ITEMS above 10,000 hosts, and as storeHosts and checkFallbackIsElsewhere.
 */
export async function addHosts(
  db: Db,
  actor: Actor,
  websiteId: number,
  hosts: readonly CheckedHost[],
  { needsProof }: Pick<HostRules, 'needsProof'>,
): Promise<AddedHosts> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockForHosts(tx, actor, websiteId);
    checkFallbackIsElsewhere(website.fallbackUrl, hosts);
    const before = await hostsNamed(tx, websiteId, namesOf(hosts));
    const known = new Map(before.map((host) => [host.hostname, host]));
    const { hostCount, last } = await countHosts(tx, websiteId);
    let position = last;
    const changed = hosts.flatMap((host): PlacedHost[] => {
      const stored = known.get(host.hostname);
      const verified = !needsProof || stored?.verified === true;
      const next = { ...host, verified, position: stored?.position ?? ++position };
      return isDeepStrictEqual(next, stored) ? [] : [next];
    });
    const added = changed.filter(({ hostname }) => !known.has(hostname));
    const result = {
      added: added.length,
      updated: changed.length - added.length,
      unchanged: hosts.length - changed.length,
    };
    if (changed.length === 0) return { ...result, hostCount };
    if (hostCount + added.length > MAX_HOSTS) throw tooManyHosts(`this website has ${hostCount.toLocaleString('en')}`);
    await assertNoDomainLoop(tx, websiteId, hosts, { keepsOthers: true });
    const names = new Set(namesOf(changed));
    const outdated = before.filter(({ hostname }) => names.has(hostname));
    if (outdated.length > 0) await deleteHosts(tx, websiteId, outdated);
    await insertHosts(tx, websiteId, changed);
    const unproven = changed.filter(({ hostname }) => known.get(hostname)?.verified !== true);
    if (!needsProof) await assertNoForeignWildcard(tx, actor, unproven);
    await finish(tx, actor, website, outdated, changed);
    return { ...result, hostCount: hostCount + added.length };
  });
}

/** Removes hosts by their names. Throws REDIRECT_LOOP if a domain redirect then leads back to itself by a wildcard. */
export async function removeHosts(
  db: Db,
  actor: Actor,
  websiteId: number,
  hostnames: readonly string[],
): Promise<RemovedHosts> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockForHosts(tx, actor, websiteId);
    const before = await hostsNamed(tx, websiteId, hostnames);
    const { hostCount } = await countHosts(tx, websiteId);
    const counts = { removed: before.length, unknown: hostnames.length - before.length };
    if (before.length === 0) return { ...counts, hostCount };
    await deleteHosts(tx, websiteId, before);
    await deleteCredentials(tx, websiteId, before);
    // A wildcard now decides about the removed names.
    const above = await hostsNamed(tx, websiteId, [...new Set(namesOf(before).flatMap(wildcardsAbove))]);
    const wildcards = above.filter(({ hostname }) => isWildcard(hostname));
    await assertNoDomainLoop(tx, websiteId, wildcards, { keepsOthers: true });
    await finish(tx, actor, website, before, []);
    return { ...counts, hostCount: hostCount - before.length };
  });
}

async function lockForHosts(tx: Tx, actor: Actor, websiteId: number): Promise<LockedWebsite> {
  const locked = await lockWebsite(tx, actor, websiteId);
  await releaseRevision(tx, locked);
  return locked;
}

/** The hosts of the website among these names. */
function hostsNamed(tx: Tx, websiteId: number, names: readonly string[]): Promise<PlacedHost[]> {
  return queryRows<PlacedHost>(tx)`
    select h.hostname, h.environment, h.position, h.verified, ${redirectToSql} as redirect_to from website_hosts h
    where h.website_id = ${websiteId} and h.hostname = any(${sql.param(names)}::text[]) order by h.position`;
}

/** The number of hosts, and the last position. */
async function countHosts(tx: Tx, websiteId: number): Promise<{ hostCount: number; last: number }> {
  const [row] = await queryRows<{ hostCount: number; last: number }>(tx)`
    select count(*)::int as host_count, coalesce(max(position), -1) as last from website_hosts where website_id = ${websiteId}`;
  return row ?? { hostCount: 0, last: -1 };
}

async function finish(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  before: readonly PlacedHost[],
  after: readonly PlacedHost[],
): Promise<void> {
  const updatedAt = changeTime(website.now, website.updatedAt);
  await tx.update(websites).set({ updatedAt, changedAt: changedNow }).where(eq(websites.id, website.id));
  await auditHosts(tx, actor, website, before, after);
}
