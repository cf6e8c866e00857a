/** Properties that this service adds to Fastify's requests and route options. */
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { FoundSession } from '../accounts/sign-in/session.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import { auditLogOf } from '../platform/log/log.ts';
import type { Actor, Origin, Role, Scope } from '../vocabulary/actor.ts';
import type { ErrorCode } from '../vocabulary/error.ts';
import type { PlanFeature } from '../vocabulary/plan.ts';
import { unauthorized } from './errors/errors.ts';

export type CallerSession = Omit<FoundSession, 'actor' | 'slid'>;

/** The sender of a request; `session` is null for an API key. */
export interface Caller {
  actor: Actor;
  session: CallerSession | null;
  /** when the API key expires, in milliseconds */
  expiresAt?: number | undefined;
}

/** The schema of a body, or of a line of it, by media type. */
export type Media = Readonly<Record<string, z.ZodType>>;

declare module 'fastify' {
  interface FastifyRequest {
    /** null without a valid credential */
    caller: Caller | null;
    /** the client, which the actor carries to the audit log */
    origin: Origin;
    /** the caller's actor; throws UNAUTHORIZED (401) without a caller, so that no handler can forget the check */
    readonly actor: Actor;
    /** the caller's session; throws UNAUTHORIZED (401) without one */
    readonly session: CallerSession;
    /** Checks the caller again, after a wait. Throws what the guard throws, such as UNAUTHORIZED for a revoked key. */
    checkAgain: () => Promise<void>;
    /** releases the share of the account's reads; null if the request holds none */
    releaseRead: (() => void) | null;
  }

  /** Options of a route. By default, any caller of any plan: viewers read, editors write. */
  interface FastifyContextConfig {
    /** needs no credentials */
    public?: boolean;
    /** fields of the 401 without a caller */
    signedOut?: Readonly<Record<string, unknown>>;
    /** a page of the dashboard or of the reference, or a file of one: not part of the API */
    isPage?: boolean;
    /** the minimum role of a user; implies the scope of a key (viewer: read, else write) unless `scope` is set */
    role?: Role;
    scope?: Scope;
    /** the feature that the account's plan must have */
    feature?: PlanFeature;
    /** false: no API key may call it, because it is the owner's alone */
    keys?: boolean;
    /** exists only below /api/v1 and the dashboard calls it: a session needs no API access of the plan */
    forDashboard?: boolean;
    /** a user must have entered the password in the last 30 minutes; without effect on keys */
    confirm?: boolean;
    /** needs a share of the account's reads (http/shares/read-shares.ts); default: GET and HEAD without `gives` */
    reads?: boolean;
    /** statuses of errors that differ from http/errors/status.ts at this route */
    statuses?: Partial<Record<ErrorCode, number>>;
    /** for the API reference: the body, if it is streamed and no schema of the route validates it */
    takes?: Media;
    /** for the API reference: the 200 response, if it is text or a stream that no schema of the route encodes */
    gives?: Media;
  }
}

/** Adds `caller` (null until authenticated), `actor` and `session` to every request. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('releaseRead', null);
  app.decorateRequest('checkAgain', async () => {});
  app.decorateRequest('actor', {
    getter() {
      if (!this.caller) throw unauthorized();
      return this.caller.actor;
    },
  });
  app.decorateRequest('session', {
    getter() {
      if (!this.caller?.session) throw unauthorized();
      return this.caller.session;
    },
  });
}

const MAX_USER_AGENT = 300;

/**
 * Adds `origin` to every request, which actors carry to the audit log. When the request has ended, writes its lines of
 * the audit log to the service's log.
 */
export function addOrigin(app: FastifyInstance, clock: Clock): void {
  const log = auditLogOf(app.log);
  app.decorateRequest('origin');
  app.addHook('onRequest', async (request) => {
    const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null;
    request.origin = { address: request.ip, userAgent, at: clock.now(), arrivedAt: stopwatch(), audited: [] };
  });
  app.addHook('onResponse', async ({ origin, id }, { statusCode }) => {
    // After an unexpected error, the transaction may have been rolled back.
    if (statusCode >= 500) return;
    for (const line of origin.audited) log.info({ ...line, request_id: id }, 'audit');
  });
}
