import { z } from 'zod';
import { renewRecoveryCodes } from '../../accounts/sign-in/renew-recovery-codes.ts';
import { confirmTotp, startTotp, turnOffTotp } from '../../accounts/sign-in/totp.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';

export const NewTotp = z.object({
  secret: z.string().describe('The secret in base32, to type into an authenticator app.'),
  otpauth_url: z.string().describe('The same as a URL, for a QR code.'),
});

const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()).describe('The recovery codes.') });

/** POST, DELETE /api/auth/totp; POST /api/auth/totp/confirm, /recovery-codes. */
export function totpRoutes(api: Api, { db, clock, secretBox }: SurfaceDeps): void {
  api.post('/auth/totp', {
    config: { role: 'viewer', confirm: true },
    operationId: 'startTotp',
    tag: 'Signing in',
    summary: 'Set up TOTP',
    description: 'Returns a new secret (RFC 6238: SHA-1, 6 digits, 30 seconds). It takes effect when confirmed.',
    returns: 'The secret.',
    errors: ['CONFLICT'],
    example: {},
    response: { 200: z.object({ totp: NewTotp.describe('The secret for the app.') }) },
    handler: async ({ actor }) => ({ totp: await startTotp(db, actor, { secretBox }) }),
  });

  api.post('/auth/totp/confirm', {
    config: { role: 'viewer', confirm: true },
    operationId: 'confirmTotp',
    tag: 'Signing in',
    summary: 'Turn TOTP on',
    description: 'From then on, signing in needs a code of the app, or one of the recovery codes. Each counts once.',
    returns: 'Ten recovery codes, shown only in this response.',
    errors: ['CONFLICT', 'VALIDATION_ERROR'],
    example: { body: { code: '123456' } },
    body: bodyObject({ code: z.string().describe('The current code of the authenticator app.') }),
    response: { 200: RecoveryCodes },
    handler: async ({ actor, body }) => ({
      recoveryCodes: await confirmTotp(db, actor, body.code, { secretBox, now: clock.now() }),
    }),
  });

  api.post('/auth/totp/recovery-codes', {
    config: { role: 'viewer' },
    operationId: 'renewRecoveryCodes',
    tag: 'Signing in',
    summary: 'Get new recovery codes',
    description: 'The former recovery codes are invalid at once. TOTP stays on.',
    returns: 'Ten recovery codes, shown only in this response.',
    errors: ['CONFLICT', 'VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED'],
    example: { body: { password: 'correct horse battery', code: '654321' } },
    body: bodyObject({
      password: z.string().describe('Your current password.'),
      code: z.string().describe('The current code of the authenticator app.'),
    }),
    response: { 200: RecoveryCodes },
    handler: async ({ actor, session, body }) => ({
      recoveryCodes: await renewRecoveryCodes(
        db,
        actor,
        { ...body, sessionId: session.id },
        { secretBox, now: clock.now() },
      ),
    }),
  });

  api.delete('/auth/totp', {
    config: { role: 'viewer' },
    operationId: 'turnOffTotp',
    tag: 'Signing in',
    summary: 'Turn TOTP off',
    description: 'Also deletes the recovery codes.',
    returns: 'Signing in needs only the password.',
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED'],
    example: { body: { password: 'correct horse battery' } },
    body: bodyObject({ password: z.string().describe('Your current password.') }),
    response: { 200: Message },
    async handler({ actor, session, body }) {
      await turnOffTotp(db, actor, { password: body.password, sessionId: session.id }, clock.now());
      return { message: 'TOTP is off' };
    },
  });
}
