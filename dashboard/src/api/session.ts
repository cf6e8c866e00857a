import { call } from './client/client.ts';
import type { AccountDetails, Totp, User } from './client/wire.ts';

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

/** Allows this session sensitive changes for 30 minutes. */
export const confirmPassword = (password: string) =>
  call<{ message: string }>('POST', '/api/auth/confirm', { body: { password } });

export const endCurrentSession = () => call<{ message: string }>('POST', '/api/auth/sign-out', { isSilent: true });

export const fetchAccount = (signal?: AbortSignal) =>
  call<{ account: AccountDetails }>('GET', '/api/account', { signal });

/** Deletes the account with everything in it, and ends this session. */
export const deleteAccount = (password: string) =>
  call<{ message: string }>('DELETE', '/api/account', { body: { password } });
