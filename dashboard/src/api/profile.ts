import { call } from './client/client.ts';
import type { NewTotp, SessionDetails } from './client/wire.ts';

/** Sessions of the signed-in user, last used first. */
export const listSessions = (signal?: AbortSignal) =>
  call<{ sessions: SessionDetails[] }>('GET', '/api/auth/sessions', { signal });

export const endSession = (id: string) => call<{ message: string }>('DELETE', `/api/auth/sessions/${id}`);

/** Also ends all other sessions. */
export const changePassword = (body: { current_password: string; new_password: string }) =>
  call<{ message: string }>('POST', '/api/auth/password', { body });

/** A new secret. It takes effect when confirmed. */
export const startTotp = () => call<{ totp: NewTotp }>('POST', '/api/auth/totp');

/** The only response that contains the recovery codes. */
export const confirmTotp = (code: string) =>
  call<{ recovery_codes: string[] }>('POST', '/api/auth/totp/confirm', { body: { code } });

/** Also deletes the recovery codes. */
export const turnOffTotp = (password: string) =>
  call<{ message: string }>('DELETE', '/api/auth/totp', { body: { password } });
