import { z } from 'zod';
import { acceptInvitation, linkWebsites, readLink } from '../../accounts/accept-invitation.ts';
import { requestPassword } from '../../accounts/forgot-password.ts';
import { createInvitation, listInvitations, resetUserPassword, withdrawInvitation } from '../../accounts/invitation.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, opaqueId, Timestamp, component } from '../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../http/route-docs.ts';
import type { Api } from '../../http/wire/zod.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { websiteRoles } from '../resources/websites/user-websites.ts';
import { email, newEmail, role, UserPath } from './account.ts';
import { code, SignedIn } from './auth.ts';

export const InvitationBody = component('Invitation', {
  id: z.string().describe('The id, `inv_...`.'),
  email,
  role,
  website_roles: websiteRoles,
  invited_by: z.string().nullable().describe('The email of the owner; null for an invitation of an earlier version.'),
  created_at: Timestamp.describe('When it was created.'),
  expires_at: Timestamp.describe('When the link stops working, 7 days after its creation.'),
});

const mailed = z
  .boolean()
  .describe('Whether the service mails the link: if mail is configured; of invitations, the first 20 in 24 hours.');

/** The only response with the link. */
export const CreatedInvitation = InvitationBody.extend({
  url: z.string().describe('The link to send to the invited person. It works once; the service stores only its hash.'),
  mailed,
}).meta({ id: 'CreatedInvitation' });
const token = z.string().describe('The part of the link after `#`.');

/** The part of an invitation or a password reset that the holder of its link may see. */
export const LinkBody = component('InvitationLink', {
  email,
  role,
  is_reset: z.boolean().describe('Whether it resets the password of a user; false: it invites a new user.'),
  invited_by: z.string().nullable().describe('The email of the owner who invites; null for a reset.'),
  websites: z
    .array(z.string())
    .describe('Names of the first three websites that the invited person reaches; empty for a reset.'),
  website_count: z.int().describe('The number of these websites.'),
  expires_at: InvitationBody.shape.expires_at,
});

/** GET, POST /api/invitations; DELETE /api/invitations/{id}. */
export function invitationRoutes(api: Api, { db, clock, config, secretBox, committed }: SurfaceDeps): void {
  api.get('/invitations', {
    config: { role: 'owner' },
    operationId: 'listInvitations',
    tag: 'Account and users',
    summary: 'List open invitations',
    returns: 'The invitations that can still be accepted, oldest first, without their links.',
    example: {},
    response: { 200: z.object({ invitations: z.array(InvitationBody).describe('The invitations.') }) },
    handler: async ({ actor }) => ({ invitations: await listInvitations(db, actor, clock.now()) }),
  });

  api.post('/invitations', {
    config: { role: 'owner', confirm: true },
    operationId: 'createInvitation',
    tag: 'Account and users',
    summary: 'Invite a user',
    description:
      'Returns a one-time link to set a password and sign in, valid for 7 days. If the service sends mail, it also mails the link. A new invitation of the same email replaces the previous one. With `website_roles`, the person is limited to these websites. At most 100 are open at a time.',
    returns: 'The invitation. `url` is shown only in this response.',
    errors: ['CONFLICT', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS'],
    example: { body: { email: 'colleague@example.com', role: 'editor' } },
    body: bodyObject({ email: newEmail, role, website_roles: websiteRoles.optional() }),
    response: { 201: z.object({ invitation: CreatedInvitation.describe('The invitation.') }) },
    async handler({ actor, body }) {
      const invitation = await createInvitation(db, actor, body, linkContext(config, secretBox, clock.now()));
      committed();
      return { invitation };
    },
  });

  api.delete('/invitations/:id', {
    config: { role: 'owner', confirm: true },
    operationId: 'withdrawInvitation',
    tag: 'Account and users',
    summary: 'Withdraw an invitation',
    returns: 'The link no longer works.',
    errors: ['INVITATION_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.invitation } },
    params: z.object({
      id: opaqueId('INVITATION_NOT_FOUND', 'Invitation').describe('The id of the invitation, `inv_...`.'),
    }),
    response: { 200: Message },
    async handler({ actor, params }) {
      await withdrawInvitation(db, actor, params.id);
      return { message: 'Invitation withdrawn' };
    },
  });
}

export const PasswordResetBody = component('PasswordReset', {
  user_id: z.int().describe('The id of the user.'),
  email,
  url: z.string().describe('The link to send to the user. It works once; the service stores only its hash.'),
  mailed,
  expires_at: Timestamp.describe('When the link stops working, 24 hours after its creation.'),
});

const linkContext = ({ publicUrl, mail }: SurfaceDeps['config'], secretBox: SecretBox, now: Date) => ({
  publicUrl,
  now,
  mail: mail ? secretBox : undefined,
});

/** POST /api/users/{id}/password-reset, by an owner; POST /api/auth/forgot-password, by the user. */
export function passwordResetRoutes(api: Api, { db, clock, config, secretBox, committed }: SurfaceDeps): void {
  api.post('/users/:id/password-reset', {
    config: { role: 'owner', confirm: true },
    operationId: 'resetPassword',
    tag: 'Account and users',
    summary: 'Create a link to reset a password',
    description:
      'Returns a link with which the user sets a new password, once, within 24 hours, and mails it if the service sends mail. Until then, the old password and the sessions remain valid. A new link replaces the previous one. Two-factor sign-in stays on.',
    returns: 'The link. It is shown only in this response.',
    errors: ['USER_NOT_FOUND'],
    example: { path: { id: 3 } },
    params: UserPath,
    response: { 201: z.object({ password_reset: PasswordResetBody.describe('The link.') }) },
    async handler({ actor, params }) {
      const context = linkContext(config, secretBox, clock.now());
      const passwordReset = await resetUserPassword(db, actor, params.id, context);
      committed();
      return { passwordReset };
    },
  });

  api.post('/auth/forgot-password', {
    config: { public: true, role: 'viewer' },
    operationId: 'forgotPassword',
    tag: 'Signing in',
    summary: 'Request a link for a new password',
    description:
      'If mail is configured and a user has the email, the service mails a link with which the user sets a new password, once, within 24 hours. A new link replaces the previous one. The response does not show whether a user has the email. At most 3 mails an hour for an email.',
    returns: 'The request is stored.',
    example: { body: { email: 'owner@example.com' } },
    body: bodyObject({ email: z.string().describe('The email of the user.') }),
    response: { 202: Message },
    async handler({ body, origin }) {
      if (config.mail) await requestPassword(db, body.email, origin);
      return { message: 'If a user has this email and the service sends mail, a link is on its way' };
    },
  });
}

export function invitationLinkRoute(api: Api, { db, clock }: SurfaceDeps): void {
  api.post('/auth/invitation', {
    config: { public: true, role: 'viewer' },
    operationId: 'readInvitationLink',
    tag: 'Signing in',
    summary: 'Show what a link is for',
    description: 'Takes the token of an invitation or of a password reset. The link can still be used afterwards.',
    returns: 'The email that signs in after the link is accepted.',
    errors: ['INVITATION_NOT_FOUND'],
    example: { body: { token: EXAMPLE_IDS.invitationToken } },
    body: bodyObject({ token }),
    response: { 200: z.object({ invitation: LinkBody.describe('The invitation, or the password reset.') }) },
    async handler({ body }) {
      const link = await readLink(db, body.token, clock.now());
      return { invitation: { ...link, ...(await linkWebsites(db, link)), isReset: link.userId !== null } };
    },
  });
}

export function acceptInvitationRoute(api: Api, { db, clock, cookie, secretBox }: SurfaceDeps): void {
  api.post('/auth/accept-invitation', {
    config: { public: true, role: 'viewer' },
    operationId: 'acceptInvitation',
    tag: 'Signing in',
    summary: 'Accept an invitation or reset a password',
    description:
      'Takes the token of an invitation, or of a password reset from an owner or the operator of the service. A reset also ends all sessions of the user, and needs `code` if TOTP is on.',
    returns: 'The user, signed in.',
    errors: [
      'INVITATION_NOT_FOUND',
      'CONFLICT',
      'VALIDATION_ERROR',
      'TOO_MANY_ITEMS',
      'TOTP_REQUIRED',
      'INVALID_CREDENTIALS',
      'RATE_LIMIT_EXCEEDED',
    ],
    responseHeaders: ['Set-Cookie'],
    example: { body: { token: EXAMPLE_IDS.invitationToken, password: 'correct horse battery' } },
    body: bodyObject({
      token,
      password: z.string().describe('The password to set, at least 10 characters.'),
      code,
    }),
    response: { 201: z.object({ user: SignedIn.describe('The user.') }) },
    async handler(request, reply) {
      const context = { client: cookie.clientOf(request), origin: request.origin, secretBox, now: clock.now() };
      const signedIn = await acceptInvitation(db, request.body, context);
      cookie.signIn(reply, signedIn);
      return { user: signedIn.user };
    },
  });
}
