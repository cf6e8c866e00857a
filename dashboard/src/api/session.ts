/** The session, and the user and the account that it belongs to. */
import { call } from './client/client.ts';
import type { AccountDetails, NewTotp, SessionDetails, Totp, User } from './client/wire.ts';

export const fetchSession = (signal?: AbortSignal) => call<SessionBody>('GET', '/api/auth/session', { signal });

/** Finds the user of the session cookie. Rejects with 401 without asking to sign in. */
export const findSession = () => call<SessionBody>('GET', '/api/auth/session', { isSilent: true });

interface SessionBody {
  user: User;
  expires_at: string;
  totp: Totp;
}

/** `code`: of the authenticator app, or a recovery code. */
export async function signIn(body: { email: string; password: string; code?: string | undefined }) {
  await call('POST', '/api/auth/sign-in', { body });
  // With the websites of a limited user.
  return fetchSession();
}

export const signUp = (body: { email: string; password: string }) =>
  call<{ user: User }>('POST', '/api/auth/sign-up', { body });

/** Has the service mail a link for a new password, if a user has the email. */
export const requestPassword = (email: string) => call('POST', '/api/auth/forgot-password', { body: { email } });

/** Allows this session sensitive changes for 30 minutes. */
export const confirmPassword = (password: string) => call('POST', '/api/auth/confirm', { body: { password } });

export const endCurrentSession = () => call('POST', '/api/auth/sign-out', { isSilent: true });

export const fetchAccount = (signal?: AbortSignal) =>
  call<{ account: AccountDetails }>('GET', '/api/account', { signal });

/** Deletes the account with everything in it, and ends this session. */
export const deleteAccount = (password: string) => call('DELETE', '/api/account', { body: { password } });

/** Sessions of the signed-in user, last used first. */
export const listSessions = (signal?: AbortSignal) =>
  call<{ sessions: SessionDetails[] }>('GET', '/api/auth/sessions', { signal });

export const endSession = (id: string) => call('DELETE', `/api/auth/sessions/${id}`);

/** Also ends all other sessions. */
export const changePassword = (body: { current_password: string; new_password: string }) =>
  call('POST', '/api/auth/password', { body });

/** A new secret. It takes effect when confirmed. */
export const startTotp = () => call<{ totp: NewTotp }>('POST', '/api/auth/totp');

/** The only response that contains the recovery codes. */
export const confirmTotp = (code: string) =>
  call<{ recovery_codes: string[] }>('POST', '/api/auth/totp/confirm', { body: { code } });

/** The only response that contains the new recovery codes. The former ones are invalid. */
export const renewRecoveryCodes = (body: { password: string; code: string }) =>
  call<{ recovery_codes: string[] }>('POST', '/api/auth/totp/recovery-codes', { body });

/** Also deletes the recovery codes. */
export const turnOffTotp = (password: string) => call('DELETE', '/api/auth/totp', { body: { password } });
