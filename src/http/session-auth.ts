import type { FastifyReply, FastifyRequest } from 'fastify';
import { findSession, SESSION_SECONDS, type StartedSession } from '../accounts/session.ts';
import type { Db } from '../db/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Authenticate } from './guard.ts';

/** The session cookie of this installation: its name, and how it is set and cleared. */
export interface SessionCookie {
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, session: Pick<StartedSession, 'token'>): void;
  clear(reply: FastifyReply): void;
}

/** `Secure` follows PUBLIC_URL, so that a service on plain http in a private network still can be signed in to. */
export function sessionCookie(prefix: string, publicUrl: string): SessionCookie {
  const name = `${prefix}.session-token`;
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: publicUrl.startsWith('https:'),
  } as const;
  return {
    read: (request) => request.cookies[name],
    set: (reply, { token }) => void reply.setCookie(name, token, { ...attributes, maxAge: SESSION_SECONDS }),
    clear: (reply) => void reply.clearCookie(name, attributes),
  };
}

/** Surface C: the session cookie and nothing else. A session that slid gets its cookie anew. */
export function bySession(db: Db, clock: Clock, cookie: SessionCookie): Authenticate {
  return async (request, reply) => {
    const token = cookie.read(request);
    if (token === undefined) return null;
    const session = await findSession(db, token, clock.now());
    if (!session) return null;
    if (session.slid) cookie.set(reply, { token });
    return { actor: session.actor, session: { id: session.id, expiresAt: session.expiresAt } };
  };
}
