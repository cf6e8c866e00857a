import { z } from 'zod';
import { changePassword, confirmPassword } from '../../accounts/sign-in/own-password.ts';
import { endSession, listSessions, type Session } from '../../accounts/sign-in/session.ts';
import { signIn, signUp } from '../../accounts/sign-in/sign-in.ts';
import { totpState } from '../../accounts/sign-in/totp.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, Timestamp, opaqueId, component } from '../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../http/route-docs.ts';
import type { Api } from '../../http/wire/zod.ts';
import { PLAN_NAMES } from '../../vocabulary/plan.ts';
import { websiteRoles } from '../resources/websites/user-websites.ts';
import { email, role } from './account.ts';

export const SignedIn = component('SignedIn', {
  id: z.int().describe('The id of the user.'),
  email,
  role,
  plan: z.enum(PLAN_NAMES).describe('The plan of the account.'),
});

export const UserSession = component('Session', {
  id: z.string().describe('The id, `ses_...`.'),
  user_agent: z.string().nullable().describe('The user agent that signed in; null if it sent none.'),
  address: z
    .string()
    .nullable()
    .describe('The IP address that signed in; null if the sign-in was before version 0.2.0.'),
  created_at: Timestamp.describe('When it was created.'),
  last_seen_at: Timestamp.describe('When it was last used.'),
  expires_at: Timestamp.describe('When it expires unless it is used.'),
  current: z.boolean().describe('Whether it is the session of this request.'),
});

function sessionBody(session: Session, currentId: string) {
  return { ...session, lastSeenAt: session.seenAt, current: session.id === currentId };
}
/** Optional, because only users with TOTP need it. */
export const code = z
  .string()
  .optional()
  .describe('A code of the authenticator app, or a recovery code. Required if TOTP is on.');
const SignedInAnswer = z.object({ user: SignedIn.describe('The user.') });

export function authRoutes(api: Api, { db, clock, config, cookie, secretBox }: SurfaceDeps): void {
  api.post('/auth/sign-up', {
    config: { public: true, role: 'viewer' },
    operationId: 'signUp',
    tag: 'Signing in',
    summary: 'Create an account',
    description:
      'Available only if the service allows sign-up (`SIGN_UP=open`). The account has the plan free; the user is its owner.',
    returns: 'The user, signed in.',
    errors: ['SIGN_UP_CLOSED', 'CONFLICT', 'VALIDATION_ERROR'],
    responseHeaders: ['Set-Cookie'],
    example: { body: { email: 'new@example.com', password: 'correct horse battery' } },
    body: bodyObject({
      email,
      password: z.string().describe('The password, at least 10 characters.'),
    }),
    response: { 201: SignedInAnswer },
    async handler(request, reply) {
      const { origin } = request;
      const context = { client: cookie.clientOf(request), origin, secretBox, now: clock.now() };
      const signedIn = await signUp(db, request.body, { ...context, signUpMode: config.signUp });
      cookie.signIn(reply, signedIn);
      return { user: signedIn.user };
    },
  });

  api.post('/auth/sign-in', {
    config: { public: true, role: 'viewer' },
    operationId: 'signIn',
    tag: 'Signing in',
    summary: 'Sign in',
    description:
      'An unknown email and a wrong password get the same response. After 10 failures for an email from one network within 15 minutes: 429.',
    returns: 'The user. `Set-Cookie` carries the session.',
    errors: ['INVALID_CREDENTIALS', 'TOTP_REQUIRED', 'RATE_LIMIT_EXCEEDED'],
    responseHeaders: ['Set-Cookie'],
    example: { body: { email: 'owner@example.com', password: 'correct horse battery' } },
    body: bodyObject({ email, password: z.string().describe('The password.'), code }),
    response: { 200: SignedInAnswer },
    async handler(request, reply) {
      const { origin } = request;
      const context = { client: cookie.clientOf(request), origin, secretBox, now: clock.now() };
      const signedIn = await signIn(db, request.body, context);
      cookie.signIn(reply, signedIn);
      return { user: signedIn.user };
    },
  });

  api.post('/auth/sign-out', {
    config: { role: 'viewer' },
    operationId: 'signOut',
    tag: 'Signing in',
    summary: 'Sign out',
    returns: 'The session has ended and its cookie is cleared.',
    responseHeaders: ['Set-Cookie'],
    example: {},
    response: { 200: Message },
    async handler({ actor, session }, reply) {
      await endSession(db, actor, session.id, { isOwn: true });
      cookie.clear(reply);
      return { message: 'Signed out' };
    },
  });

  api.post('/auth/password', {
    config: { role: 'viewer' },
    operationId: 'changePassword',
    tag: 'Signing in',
    summary: 'Change your password',
    description:
      'Ends all other sessions of the user and an open password reset, and makes other devices unknown. This session gets a new token.',
    returns: 'The password has changed.',
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED'],
    responseHeaders: ['Set-Cookie'],
    example: {
      body: { current_password: 'correct horse battery', new_password: 'a longer horse battery' },
    },
    body: bodyObject({
      current_password: z.string().describe('The current password.'),
      new_password: z.string().describe('The new password, at least 10 characters.'),
    }),
    response: { 200: Message },
    async handler({ actor, session, body }, reply) {
      const input = { ...body, sessionId: session.id };
      cookie.signIn(reply, await changePassword(db, actor, input, { secretBox, now: clock.now() }));
      return { message: 'Password changed; your other sessions have ended' };
    },
  });
}

export function confirmRoute(api: Api, { db, clock }: SurfaceDeps): void {
  api.post('/auth/confirm', {
    config: { role: 'viewer' },
    operationId: 'confirmPassword',
    tag: 'Signing in',
    summary: 'Confirm your password',
    description:
      'Allows this session to change users, API keys, webhook secrets and TOTP for 30 minutes, as a sign-in does.',
    returns: 'The password is confirmed.',
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED'],
    example: { body: { password: 'correct horse battery' } },
    body: bodyObject({ password: z.string().describe('Your current password.') }),
    response: { 200: Message },
    async handler({ actor, session, body }) {
      await confirmPassword(db, actor, { password: body.password, sessionId: session.id }, clock.now());
      return { message: 'Password confirmed for 30 minutes' };
    },
  });
}

export const TotpState = z.object({
  is_on: z.boolean().describe('Whether signing in needs a code.'),
  recovery_codes_left: z.int().describe('Unused recovery codes.'),
});

export function sessionRoutes(api: Api, { db, clock, config }: SurfaceDeps): void {
  const mail = config.mail !== null;
  api.get('/auth/session', {
    config: { signedOut: { mail } },
    operationId: 'getSession',
    tag: 'Signing in',
    summary: 'Show the current session',
    description: 'The 401 without a session has `mail` too.',
    returns: 'The user, and when the session expires unless it is used.',
    example: {},
    response: {
      200: z.object({
        user: SignedIn.extend({ website_roles: websiteRoles }).meta({ id: 'SessionUser' }).describe('The user.'),
        expires_at: Timestamp.describe('When the session expires unless it is used.'),
        totp: TotpState.describe('The second factor of the user.'),
        mail: z.boolean().describe('Whether the service sends mail.'),
      }),
    },
    async handler({ actor, session }) {
      const { id, name, plan } = actor;
      const user = { id: Number(id), email: name, role: session.role, plan, websiteRoles: session.websiteRoles };
      return { user, expiresAt: session.expiresAt, totp: await totpState(db, user.id), mail };
    },
  });

  api.get('/auth/sessions', {
    operationId: 'listSessions',
    tag: 'Signing in',
    summary: 'List your sessions',
    returns: 'The sessions of the user, most recently used first.',
    example: {},
    response: { 200: z.object({ sessions: z.array(UserSession).describe('The sessions.') }) },
    async handler({ actor, session: { id: currentId } }) {
      const sessions = await listSessions(db, actor, clock.now());
      return { sessions: sessions.map((session) => sessionBody(session, currentId)) };
    },
  });

  api.delete('/auth/sessions/:id', {
    config: { role: 'viewer' },
    operationId: 'endSession',
    tag: 'Signing in',
    summary: 'End one of your sessions',
    returns: 'The session has ended.',
    errors: ['SESSION_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.session } },
    params: z.object({
      id: opaqueId('SESSION_NOT_FOUND', 'Session').describe('The id of the session, `ses_...`.'),
    }),
    response: { 200: Message },
    async handler({ actor, params }) {
      await endSession(db, actor, params.id, { isOwn: false });
      return { message: 'Session ended' };
    },
  });
}
