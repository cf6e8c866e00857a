import { z } from 'zod';
import { endSession, startSession } from '../../accounts/session.ts';
import { changePassword, signIn, signUp } from '../../accounts/sign-in.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { SignedIn, toSignedIn } from './wire.ts';

const Credentials = bodyObject({ email: z.string(), password: z.string() });
const NewPassword = bodyObject({ current_password: z.string(), new_password: z.string() });
const SignedInAnswer = z.object({ user: SignedIn });

export function authRoutes(api: Api, { db, clock, config, cookie }: SurfaceDeps): void {
  api.post(
    '/auth/sign-up',
    {
      config: { public: true, role: 'viewer' },
      schema: { body: Credentials, response: { 201: SignedInAnswer } },
    },
    async ({ body, headers }, reply) => {
      const user = await signUp(db, body, config.signUp);
      cookie.set(reply, await startSession(db, user.id, headers['user-agent'], clock.now()));
      return reply.code(201).send({ user });
    },
  );

  api.post(
    '/auth/sign-in',
    {
      config: { public: true, role: 'viewer' },
      schema: { body: Credentials, response: { 200: SignedInAnswer } },
    },
    async ({ body, headers }, reply) => {
      const user = await signIn(db, body, clock.now());
      cookie.set(reply, await startSession(db, user.id, headers['user-agent'], clock.now()));
      return { user };
    },
  );

  api.post(
    '/auth/sign-out',
    { config: { role: 'viewer' }, schema: { response: { 200: Message } } },
    async ({ actor, session }, reply) => {
      await endSession(db, actor, session.id);
      cookie.clear(reply);
      return { message: 'Signed out' };
    },
  );

  api.get(
    '/auth/session',
    { schema: { response: { 200: z.object({ user: SignedIn, expires_at: Timestamp }) } } },
    async ({ actor, session }) => ({ user: toSignedIn(actor), expires_at: session.expiresAt }),
  );

  api.post(
    '/auth/password',
    { config: { role: 'viewer' }, schema: { body: NewPassword, response: { 200: Message } } },
    async ({ actor, session, body }) => {
      const { current_password: currentPassword, new_password: newPassword } = body;
      await changePassword(
        db,
        actor,
        { currentPassword, newPassword, keptSessionId: session.id },
        clock.now(),
      );
      return { message: 'Password changed; your other sessions have ended' };
    },
  );
}
