/** Users and invitations of the account. */
import { call } from './client/client.ts';
import type { Role, WebsiteRoles } from '../../../src/vocabulary/actor.ts';
import type {
  AccountUserDetails,
  ListedUser,
  CreatedInvitation,
  InvitationLink,
  OpenInvitation,
  PasswordReset,
} from './client/wire.ts';
import { fetchSession } from './session.ts';

/** Oldest first. */
export const listUsers = (signal?: AbortSignal) => call<{ users: ListedUser[] }>('GET', '/api/users', { signal });

export const addUser = (body: { email: string; role: Role; password: string }) =>
  call<{ user: AccountUserDetails }>('POST', '/api/users', { body });

export const changeRole = (id: number, role: Role) =>
  call<{ user: AccountUserDetails }>('PUT', `/api/users/${id}`, { body: { role } });

/** null: all websites, with the role of the account. */
export const limitUser = (id: number, roles: WebsiteRoles | null) =>
  call('PUT', `/api/v1/users/${id}/websites`, { body: { website_roles: roles } });

/** Also ends the user's sessions. */
export const removeUser = (id: number) => call('DELETE', `/api/users/${id}`);

/** The only response that contains the link. The password stays valid until the link is used. */
export const resetPassword = (id: number) =>
  call<{ password_reset: PasswordReset }>('POST', `/api/users/${id}/password-reset`);

/** Open invitations, oldest first, without their links. */
export const listInvitations = (signal?: AbortSignal) =>
  call<{ invitations: OpenInvitation[] }>('GET', '/api/invitations', { signal });

/** The only response that contains the link. It replaces an open invitation of the same email. */
export const createInvitation = (body: { email: string; role: Role; website_roles: WebsiteRoles | null }) =>
  call<{ invitation: CreatedInvitation }>('POST', '/api/invitations', { body });

export const withdrawInvitation = (id: string) => call('DELETE', `/api/invitations/${id}`);

/** The purpose of a link. Does not use it. */
export const readInvitationLink = (token: string, signal?: AbortSignal) =>
  call<{ invitation: InvitationLink }>('POST', '/api/auth/invitation', { body: { token }, signal });

/** Sets the password and signs in. */
export async function acceptInvitation(body: { token: string; password: string; code?: string | undefined }) {
  await call('POST', '/api/auth/accept-invitation', { body });
  return fetchSession();
}
