import { recordAudit } from '../accounts/audit.ts';
import type { Db } from '../db/connection/client.ts';
import { and, eq } from '../db/drizzle.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { websiteHosts, websites } from '../db/schema/websites.ts';
import { changeTime } from '../platform/clock.ts';
import { createKeyedSemaphore } from '../platform/scheduling/semaphore.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { busy, DomainError, invalid } from '../vocabulary/error.ts';
import { normaliseHost } from './hostname.ts';
import { assertNoForeignWildcard, hostTaken } from './store-hosts.ts';
import { changedNow } from './store.ts';
import { checkTxtRecord, type TxtRecord } from './txt-record.ts';
import { requireRoleAt, requireWebsite, requireWebsiteRow, type StoredHost, type Website } from './website.ts';
import { lockWebsite, releaseRevision, writeTransaction } from './write-website.ts';

export interface ProofOptions {
  /** false: every host is verified without a record */
  needsProof: boolean;
  /** null: those of the system */
  dnsServers: string[] | null;
}

/** Lookups of one account at a time in this process; a lookup takes up to 5 s. */
const MAX_LOOKUPS = 2;
const PERMIT_TIMEOUT_MS = 10_000;

const withLookupPermit = createKeyedSemaphore<number>(MAX_LOOKUPS);

/**
 * Verifies a host of the website by its TXT record, so that the website responds for it. Does nothing if it is verified
 * already. Throws WEBSITE_NOT_FOUND; VALIDATION_ERROR if it is not a host of the website; NOT_VERIFIED without the
 * record; CONFLICT if another website has proven it, or, without a proof, another account has a wildcard above it; BUSY if the account has too many lookups in progress.
 */
export async function verifyHost(
  db: Db,
  actor: Actor,
  { websiteId, hostname }: { websiteId: number; hostname: string },
  options: ProofOptions,
): Promise<Website> {
  const website = await requireWebsite(db, actor, websiteId);
  const normal = normaliseHost(hostname);
  const host = website.hosts.find((each) => each.hostname === normal);
  await requireRoleAt(db, actor, websiteId, 'editor');
  if (!host) throw invalid('hostname', `${JSON.stringify(hostname)} is not a host of this website; add it first`);
  if (host.verified) return website;
  if (options.needsProof) await requireProof(actor, host, options.dnsServers);
  return writeTransaction(db, actor, async (tx) => {
    const locked = await lockWebsite(tx, actor, websiteId);
    await releaseRevision(tx, locked);
    if (!options.needsProof) await assertNoForeignWildcard(tx, actor, [host]);
    const ownRow = and(eq(websiteHosts.websiteId, websiteId), eq(websiteHosts.hostname, host.hostname));
    await tx.update(websiteHosts).set({ verified: true }).where(ownRow);
    const { updatedAt } = await requireWebsiteRow(tx, actor, websiteId);
    const changed = { updatedAt: changeTime(locked.now, updatedAt), changedAt: changedNow };
    await tx.update(websites).set(changed).where(eq(websites.id, websiteId));
    await recordAudit(tx, actor, {
      action: 'host.verified',
      target: host.hostname,
      details: { website_id: websiteId },
    });
    return requireWebsite(tx, actor, websiteId);
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'website_hosts_verified_key') ? hostTaken(host.hostname) : error;
  });
}

async function requireProof(actor: Actor, { verification }: StoredHost, dnsServers: string[] | null): Promise<void> {
  const found = await withLookupPermit(actor.accountId, () => checkTxtRecord(verification, dnsServers), {
    timeoutMs: PERMIT_TIMEOUT_MS,
    error: tooManyLookups,
  });
  if (found !== undefined) throw notVerified(found, verification);
}

function notVerified(found: string, { name, value }: TxtRecord): DomainError {
  return new DomainError('NOT_VERIFIED', 'The host is not verified', {
    details: `hostname: ${found}; add a TXT record ${name} with the value ${JSON.stringify(value)}, and retry when DNS has it`,
  });
}

function tooManyLookups(): DomainError {
  const details = `The account has ${MAX_LOOKUPS} lookups in progress; retry in a few seconds`;
  return busy(details, 5, 'Too many hosts are being verified');
}
