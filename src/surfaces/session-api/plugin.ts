/**
 * Surface C: the session API of the dashboard. The guard applies to every route: a session, the rate limit, the same
 * origin for writes, viewers for reads and editors for writes; `config` of a route overrides it.
 */
import type { FastifyInstance } from 'fastify';
import { compressText } from '../../http/content-encoding.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors/errors.ts';
import { guard } from '../../http/guard.ts';
import { withZod } from '../../http/wire/zod.ts';
import { accountDeletionRoute, userRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes, confirmRoute, sessionRoutes } from './auth.ts';
import { sessionDialect } from '../resources/dialect.ts';
import { resourceRoutes } from '../resources/plugin.ts';
import { acceptInvitationRoute, invitationLinkRoute, invitationRoutes, passwordResetRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { savedViewRoutes } from './saved-views.ts';
import { totpRoutes } from './totp.ts';

export async function sessionApi(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  setErrorHandlers(app, deps.clock);
  guard(app, deps, { credential: 'session cookie' });
  compressText(app);
  const api = withZod(app);
  authRoutes(api, deps);
  confirmRoute(api, deps);
  sessionRoutes(api, deps);
  await resourceRoutes(app, deps, sessionDialect);
  savedViewRoutes(api, deps);
  accountDeletionRoute(api, deps);
  userRoutes(api, deps);
  invitationRoutes(api, deps);
  passwordResetRoutes(api, deps);
  invitationLinkRoute(api, deps);
  acceptInvitationRoute(api, deps);
  totpRoutes(api, deps);
  auditRoutes(api, deps);
  keyRoutes(api, deps);
}
