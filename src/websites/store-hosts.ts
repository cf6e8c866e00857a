import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { wildcardsAbove } from '../resolver/host-table.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { CheckedHost } from './check-hosts.ts';
import { assertNoDomainLoop } from './domain-loops.ts';
import type { HostRules } from './service-hosts.ts';
import type { StoredHost } from './website.ts';

/**
 * Replaces the hosts of the website `before` by `hosts`, in this order. A verified host stays verified. Writes only the
 * difference, in one statement each for removed hosts and for new or changed ones. Returns false if nothing changes.
 * Throws REDIRECT_LOOP as assertNoDomainLoop. Throws CONFLICT, without naming the other website, if a hostname is taken:
 * another website has proven it, or no proof is needed and another account has a wildcard above it. Several websites may
 * claim an unproven hostname.
 */
export async function storeHosts(
  tx: Tx,
  actor: Actor,
  before: { id: number; hosts: readonly StoredHost[] },
  hosts: readonly CheckedHost[],
  { needsProof }: Pick<HostRules, 'needsProof'>,
): Promise<boolean> {
  const known = new Map(before.hosts.map((host) => [host.hostname, host]));
  const isProven = (hostname: string): boolean => known.get(hostname)?.verified === true;
  const next = placed(
    hosts.map((host) => ({ ...host, verified: !needsProof || isProven(host.hostname) })),
    known,
  );
  const changed = next.filter((host) => !isSame(host, known.get(host.hostname)));
  const names = new Set(namesOf(next));
  const removed = before.hosts.filter(({ hostname }) => !names.has(hostname));
  if (changed.length === 0 && removed.length === 0) return false;
  await assertNoDomainLoop(tx, before.id, next);
  await deleteHosts(tx, before.id, [...removed, ...changed]);
  await deleteCredentials(tx, before.id, removed);
  await insertHosts(tx, before.id, changed);
  const unproven = changed.filter(({ hostname }) => !isProven(hostname));
  if (!needsProof) await assertNoForeignWildcard(tx, actor, unproven);
  return true;
}

export type PlacedHost = Omit<StoredHost, 'verification'>;

/**
 * Gives each host its position. A host keeps its former one if the order allows it, so that a host more at the end, or
 * one less anywhere, moves no other.
 */
function placed(hosts: readonly Omit<PlacedHost, 'position'>[], known: ReadonlyMap<string, StoredHost>): PlacedHost[] {
  let last = -1;
  return hosts.map((host) => {
    last = Math.max(last + 1, known.get(host.hostname)?.position ?? 0);
    return { ...host, position: last };
  });
}

function isSame(host: PlacedHost, stored: StoredHost | undefined): boolean {
  return (
    stored !== undefined &&
    host.environment === stored.environment &&
    host.position === stored.position &&
    host.verified === stored.verified &&
    isDeepStrictEqual(host.redirectTo, stored.redirectTo)
  );
}

export async function deleteHosts(tx: Tx, websiteId: number, hosts: readonly Named[]): Promise<void> {
  await tx.execute(sql`delete from website_hosts
    where website_id = ${websiteId} and hostname = any(${sql.param(namesOf(hosts))}::text[])`);
}

/** Credentials of checks end with their host. */
export async function deleteCredentials(tx: Tx, websiteId: number, removed: readonly Named[]): Promise<void> {
  await queryRows(tx)`
    delete from check_credentials where website_id = ${websiteId} and hostname = any(${sql.param(namesOf(removed))}::text[])`;
}

type Named = Pick<PlacedHost, 'hostname'>;

export const namesOf = (hosts: readonly Named[]): string[] => hosts.map(({ hostname }) => hostname);

/** Inserts in the order of the names, so that two writers of the same names never wait for each other in a circle. */
export async function insertHosts(tx: Tx, websiteId: number, hosts: readonly PlacedHost[]): Promise<void> {
  if (hosts.length === 0) return;
  const column = <T>(value: (host: PlacedHost) => T) => sql.param(hosts.map(value));
  const names = column(({ hostname }) => hostname);
  const stored = await queryRows<Named>(tx)`
    insert into website_hosts (website_id, hostname, environment, position, verified, redirect_url, redirect_status_code, redirect_keep_path)
    select ${websiteId}, hostname, environment, position, verified, url, status_code, keep_path
    from unnest(${names}::text[], ${column(({ environment }) => environment)}::text[], ${column(({ position }) => position)}::int[],
      ${column(({ verified }) => verified)}::boolean[], ${column(({ redirectTo }) => redirectTo?.url ?? null)}::text[],
      ${column(({ redirectTo }) => redirectTo?.statusCode ?? null)}::smallint[],
      ${column(({ redirectTo }) => redirectTo?.keepPath ?? null)}::boolean[])
      as h (hostname, environment, position, verified, url, status_code, keep_path)
    order by hostname collate "C"
    on conflict do nothing returning hostname`;
  const [proven] = await queryRows<Named>(tx)`
    select hostname from website_hosts
    where hostname = any(${names}::text[]) and verified and website_id <> ${websiteId} limit 1`;
  const inserted = new Set(namesOf(stored));
  const taken = proven ?? hosts.find(({ hostname }) => !inserted.has(hostname));
  if (taken) throw hostTaken(taken.hostname);
}

/**
 * Throws CONFLICT if another account has proven a wildcard above one of these hosts: without a proof, an exact name or a
 * longer wildcard would take its visitors.
 */
export async function assertNoForeignWildcard(tx: Tx, actor: Actor, hosts: readonly Named[]): Promise<void> {
  const hostnames = namesOf(hosts);
  const wildcards = sql.param([...new Set(hostnames.flatMap(wildcardsAbove))]);
  const rows = await queryRows<Named>(tx)`
    select h.hostname from website_hosts h join websites w on w.id = h.website_id
    where h.hostname = any(${wildcards}::text[]) and h.verified and w.account_id <> ${actor.accountId}`;
  if (rows.length === 0) return;
  const foreign = new Set(namesOf(rows));
  const taken = hostnames.find((name) => wildcardsAbove(name).some((wildcard) => foreign.has(wildcard)));
  if (taken !== undefined) throw hostTaken(taken);
}

export function hostTaken(hostname: string): DomainError {
  return new DomainError('CONFLICT', 'The hostname is taken', {
    details: `hosts: ${hostname} belongs to another website of this service`,
  });
}
