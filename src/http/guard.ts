import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../vocabulary/error.ts';
import type { PlanFeature } from '../vocabulary/plan.ts';
import { unauthorized, unroutable } from './errors/errors.ts';
import { byKey, bySession } from './authenticate.ts';
import { hasDownloadToken, redeemDownload } from './download-link.ts';
import type { SurfaceDeps } from './deps.ts';
import { checkSameOrigin, SAFE_METHODS } from './server/same-origin.ts';
import { releaseRead } from './shares/read-shares.ts';
import { requireConfirmed, requirePlan, requireRole } from '../accounts/permissions.ts';

export interface GuardOptions {
  /** the credential that the surface takes; a surface of keys also takes the session cookie of the dashboard */
  credential: 'session cookie' | 'API key';
  /** the feature that the plan must have for every route of the surface */
  feature?: PlanFeature;
}

/**
 * Checks every request of a surface before its body is read, in this order: credential, rate limit (so that later
 * errors have its headers too), route, origin, plan, role, confirmed password, share of reads. Call it first in the
 * surface's plugin: it then guards every route of the scope.
 */
export function guard(app: FastifyInstance, deps: SurfaceDeps, { credential, feature }: GuardOptions): void {
  const { db, clock, cookie, rateLimit, readShares, config } = deps;
  const byCookie = bySession(db, clock, cookie);
  const authenticate = credential === 'API key' ? byKey(app, db, clock, byCookie) : byCookie;

  function checkCaller(request: FastifyRequest): void {
    const { public: isPublic, forDashboard, signedOut } = request.routeOptions.config;
    if (!request.caller && !isPublic) throw unauthorized(neededBy(request, credential), signedOut);
    checkSameOrigin(request, config.publicUrl);
    checkFeature(request, request.caller?.session && forDashboard ? undefined : feature);
    checkFeature(request, request.routeOptions.config.feature);
    checkRole(request);
  }

  app.addHook('onRequest', async (request, reply) => {
    request.caller = await rateLimit.authenticate(request, reply, async () =>
      (await redeemDownload(deps, request)) ? authenticate(request, reply) : null,
    );
    await rateLimit.spend(request, reply);
    if (request.is404) throw unroutable(request, reply);
    checkCaller(request);
    request.checkAgain = async () => {
      request.caller = await authenticate(request, reply);
      checkCaller(request);
    };
    const { caller } = request;
    if (caller?.session && request.routeOptions.config.confirm) requireConfirmed(caller.session);
    await readShares(request, reply);
  });
  // Not at the end of the response: a query goes on if its client leaves, and its rows are read when this runs.
  app.addHook('onSend', async (request, reply) => {
    releaseRead(request);
    const takesKey = credential === 'API key' && request.routeOptions.config.keys !== false;
    // RFC 9110, 15.5.2, demands a challenge. No scheme is registered for cookies; browsers ignore unknown ones.
    if (reply.statusCode === 401 && !takesKey) void reply.header('WWW-Authenticate', 'Cookie realm="Detour"');
  });
}

const hasKey = ({ headers }: FastifyRequest): boolean => /^bearer /i.test(headers.authorization ?? '');
const hasSession = ({ headers }: FastifyRequest): boolean => /\.session-token=/.test(headers.cookie ?? '');

function neededBy(request: FastifyRequest, credential: GuardOptions['credential']): string {
  if (hasDownloadToken(request))
    return 'download_token: the URL was used before, has expired (60 s) or was changed; create another with POST /api/v1/downloads';
  return credential === 'API key' ? keyNeeded(request) : sessionNeeded(request);
}

/** Says what is wrong with the credential of a request to a path that takes an API key. */
function keyNeeded(request: FastifyRequest): string {
  const send = 'send a valid one as "Authorization: Bearer dtr_..."';
  if (hasKey(request)) return `The API key is unknown, revoked or expired; ${send}`;
  return hasSession(request)
    ? `This path takes an API key, and the session cookie only from pages of this service; ${send}`
    : `This path takes an API key; ${send}`;
}

function sessionNeeded(request: FastifyRequest): string {
  const signIn = 'sign in with POST /api/auth/sign-in';
  if (hasKey(request))
    return `This path takes the session cookie, not an API key; ${signIn}, or use a path below /api/v1 with the key`;
  return hasSession(request) ? `The session has ended; ${signIn}` : `This path takes the session cookie; ${signIn}`;
}

/** Throws PLAN_REQUIRED (403) if the caller's plan lacks the feature. */
export function checkFeature(request: FastifyRequest, feature: PlanFeature | undefined): void {
  if (feature && request.caller) requirePlan(request.caller.actor, feature);
}

/**
 * Throws a 403 if the caller's role or scope is below `config.role` or `config.scope` of the route. By default viewers
 * read and editors write, so that a forgotten option opens nothing.
 */
function checkRole(request: FastifyRequest): void {
  if (!request.caller) return;
  const { role, scope, keys } = request.routeOptions.config;
  requireRole(request.caller.actor, role ?? (SAFE_METHODS.has(request.method) ? 'viewer' : 'editor'), scope);
  if (keys === false && !request.caller.session)
    throw new DomainError('INSUFFICIENT_ROLE', 'API keys cannot do this', {
      details: 'Authorization: sign in as an owner of the account; an API key has no role',
    });
}
