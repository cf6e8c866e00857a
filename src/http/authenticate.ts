import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticateKey, recordKeyUse } from '../accounts/api-key.ts';
import type { Db } from '../db/connection/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { SessionCookie } from './cookies.ts';
import type { Caller } from './request.ts';
import { isFromDashboard } from './server/same-origin.ts';
import { findSession } from '../accounts/sign-in/session.ts';

/** Returns the caller, or null without a valid credential. Does not throw for an invalid one. */
type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;

/**
 * Surfaces A and B: authenticates by API key. Without a key, accepts the session cookie of a same-origin request, which
 * the dashboard sends. Rejects an invalid key even beside a valid cookie.
 */
export function byKey(app: FastifyInstance, db: Db, clock: Clock, orSession: Authenticate): Authenticate {
  const recordUse = inBackground(app, (id: string, use: { at: Date; address: string }) => recordKeyUse(db, id, use));
  return async (request, reply) => {
    const key = bearerToken(request);
    if (key !== undefined) {
      const now = clock.now();
      const found = await authenticateKey(db, key, now);
      if (found?.isUseStale) recordUse(found.actor.id, { at: now, address: request.ip });
      if (!found) return null;
      const { actor, expiresAt } = found;
      return { actor: { ...actor, origin: request.origin }, session: null, expiresAt: expiresAt?.getTime() };
    } else if (isFromDashboard(request)) {
      const caller = await orSession(request, reply);
      if (caller) return caller;
    }
    return null;
  };
}

/** The token of `Authorization: Bearer`. A proxy's Basic credentials are ignored, so the cookie still counts. */
export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +(.*)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim();
}

/** Runs `work` without delaying the response. Closing the app waits for it. */
function inBackground<Args extends unknown[]>(app: FastifyInstance, work: (...args: Args) => Promise<void>) {
  const pending = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(pending)));
  return (...args: Args): void => {
    const done = work(...args)
      .catch((error: unknown) => app.log.error({ err: error }, 'background work failed'))
      .finally(() => pending.delete(done));
    pending.add(done);
  };
}

/** Surface C: authenticates by the session cookie only. Renews the cookie of an extended session. */
export function bySession(db: Db, clock: Clock, cookie: SessionCookie): Authenticate {
  return async (request, reply) => {
    const token = cookie.read(request);
    if (token === undefined) return null;
    const session = await findSession(db, token, clock.now());
    if (!session) return null;
    if (session.slid) cookie.set(reply, token);
    const { actor, slid: _slid, ...rest } = session;
    return { actor: { ...actor, origin: request.origin }, session: rest };
  };
}
