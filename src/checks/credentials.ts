/**
 * The headers that only own hosts of a website get: the nonce by which servers of redirects know a check, whose requests
 * are no hits, and Basic credentials for one host, such as a protected staging site. Both are never shown.
 */
import { createHmac } from 'node:crypto';
import type { Db, Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { readCheckSecret } from '../db/settings.ts';
import { recordAudit } from '../accounts/audit.ts';
import { type SecretBox, UnknownKeyError } from '../platform/secret-box.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { NONCE_HEADER } from '../vocabulary/checks.ts';
import { invalid } from '../vocabulary/error.ts';
import { websiteTarget } from '../websites/audit-change.ts';
import { normaliseHostname } from '../websites/hostname.ts';
import { requireEditableRow, requireWebsite } from '../websites/website.ts';

export const checkSecretContext = (websiteId: string): string => `check credentials of website ${websiteId}`;

export interface Credentials {
  hostname: string;
  username: string;
  password: string;
}

/** Replaces the credentials of a website; null removes them. Throws WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, VALIDATION_ERROR. */
export async function writeCredentials(
  db: Db,
  secretBox: SecretBox,
  actor: Actor,
  websiteId: number,
  credentials: Credentials | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    const website = await requireWebsite(tx, actor, websiteId);
    await queryRows(tx)`delete from check_credentials where website_id = ${websiteId}`;
    const hostname = credentials && checkHost(website.hosts, credentials);
    if (credentials) {
      const { username, password } = credentials;
      const text = Buffer.from(`${username}:${password}`).toString('base64');
      const sealed = secretBox.seal(`Basic ${text}`, checkSecretContext(String(websiteId)));
      await queryRows(tx)`
        insert into check_credentials (website_id, hostname, secret) values (${websiteId}, ${hostname}, ${sealed})`;
    }
    const details = { check_credentials: hostname };
    await recordAudit(tx, actor, { action: 'website.updated', target: websiteTarget(website), details });
  });
}

function checkHost(
  hosts: readonly { hostname: string; verified: boolean }[],
  { hostname, username }: Credentials,
): string {
  const name = normaliseHostname(hostname);
  if (name === undefined || !hostTableOf(hosts).find(name)?.verified)
    throw invalid('hostname', `${hostname} is not a verified host of this website; add the host, or verify it`);
  if (username.includes(':')) throw invalid('username', 'must not contain a colon');
  return name;
}

/** The nonce of a website: each differs, because owners of hosts see that of their own. */
export const checkNonce = (secret: string, websiteId: number): string =>
  createHmac('sha256', secret).update(`website ${websiteId}`).digest('base64url');

/** Returns a reader of nonces that reads their secret from the database once. */
export function createNonces(db: Queryable): (websiteId: number) => Promise<string> {
  let secret: string | undefined;
  return async (websiteId) => checkNonce((secret ??= await readCheckSecret(db)), websiteId);
}

/** The headers for an own host. `unreadable`: its credentials are sealed with a lost SECRET_KEY. */
export async function ownHeaders(
  db: Queryable,
  secretBox: SecretBox,
  websiteId: number,
  hostname: string,
): Promise<Record<string, string> | 'unreadable'> {
  const nonce = { [NONCE_HEADER]: await createNonces(db)(websiteId) };
  const [row] = await queryRows<{ secret: Buffer }>(db)`
    select secret from check_credentials where website_id = ${websiteId} and hostname = ${hostname}`;
  if (!row) return nonce;
  try {
    return { ...nonce, authorization: secretBox.open(row.secret, checkSecretContext(String(websiteId))) };
  } catch (error) {
    if (error instanceof UnknownKeyError) return 'unreadable';
    throw error;
  }
}
