/** How a server of redirects knows a request of a check, which is no hit. */
import { createHmac } from 'node:crypto';
import type { Queryable } from '../db/connection/client.ts';
import { readCheckSecret } from '../db/settings.ts';

/** The nonce of a website: each differs, because owners of hosts see that of their own. */
export const checkNonce = (secret: string, websiteId: number): string =>
  createHmac('sha256', secret).update(`website ${websiteId}`).digest('base64url');

/** Returns a reader of nonces that reads their secret from the database once. */
export function createNonces(db: Queryable): (websiteId: number) => Promise<string> {
  let secret: string | undefined;
  return async (websiteId) => checkNonce((secret ??= await readCheckSecret(db)), websiteId);
}
