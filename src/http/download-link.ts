/**
 * One-time URLs for downloads. Over plain HTTP a browser does not send which page has a link, so the session cookie does
 * not count below `/api/v1`. A page of the service requests a one-time URL instead.
 */
import type { FastifyRequest } from 'fastify';
import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Clock } from '../platform/clock.ts';
import { newToken, sha256 } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { SessionCookie } from './cookies.ts';

const LIFETIME_MS = 60_000;
/** Unused URLs of an account. A further one replaces the oldest. */
const MAX_OPEN = 100;
const PARAMETER = 'download_token';
const SUFFIX = new RegExp(`[?&]${PARAMETER}=([\\w-]{43})$`);

/** The credential of the caller who requests the URL. */
export type Credential = { apiKey: string } | { session: string };

interface Deps {
  db: Db;
  secretBox: SecretBox;
  clock: Clock;
}

/** Creates a one-time URL for `path`, which may have a query. Returns it without the origin, and when it expires. */
export async function createDownload(
  { db, secretBox, clock }: Deps,
  { accountId, path, credential }: { accountId: number; path: string; credential: Credential },
): Promise<{ url: string; expiresAt: Date }> {
  const token = newToken();
  const hash = sha256(token);
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  const sealed = secretBox.seal(JSON.stringify(credential), contextOf(hash));
  await db.execute(sql`
    with replaced as (delete from downloads where token_hash in (
      select token_hash from downloads where account_id = ${accountId} order by expires_at desc offset ${MAX_OPEN - 1}))
    insert into downloads (token_hash, account_id, path, credential, expires_at)
    values (${hash}, ${accountId}, ${path}, ${sealed}, ${expiresAt.toISOString()}::timestamptz)`);
  return { url: `${path}${path.includes('?') ? '&' : '?'}${PARAMETER}=${token}`, expiresAt };
}

export const hasDownloadToken = (request: FastifyRequest): boolean => Object.hasOwn(request.query as object, PARAMETER);

/**
 * Replaces the token of a request by the credential that it stands for. A token is valid once, for its path, with GET.
 * Returns false if the request has an invalid token, and true if it has none.
 */
export async function redeemDownload(
  { db, secretBox, clock, cookie }: Deps & { cookie: SessionCookie },
  request: FastifyRequest,
): Promise<boolean> {
  if (!hasDownloadToken(request)) return true;
  const { url = '' } = request.raw;
  const found = SUFFIX.exec(url);
  if (!found?.[1] || request.method !== 'GET') return false;
  const path = url.slice(0, found.index);
  const hash = sha256(found[1]);
  const [row] = await queryRows<{ credential: Buffer }>(db)`
    delete from downloads where token_hash = ${hash} and path = ${path}
      and expires_at > ${clock.now().toISOString()}::timestamptz
    returning credential`;
  if (!row) return false;
  const credential = JSON.parse(secretBox.open(row.credential, contextOf(hash))) as Credential;
  Reflect.deleteProperty(request.query as object, PARAMETER);
  if ('apiKey' in credential) request.headers = { ...request.headers, authorization: `Bearer ${credential.apiKey}` };
  else cookie.use(request, credential.session);
  return true;
}

/** Deletes expired URLs with their credentials. */
export async function purgeDownloads(db: Db, now: Date): Promise<void> {
  await db.execute(sql`delete from downloads where expires_at <= ${now.toISOString()}::timestamptz`);
}

/** The context of a sealed credential. `tokenHash`: the hash in the text form of PostgreSQL, `\x` and hexadecimal. */
export const downloadContext = (tokenHash: string): string => `download ${tokenHash}`;
const contextOf = (tokenHash: Buffer): string => downloadContext(`\\x${tokenHash.toString('hex')}`);
