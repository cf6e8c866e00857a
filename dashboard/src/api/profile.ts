import { call } from './client.ts';
import type { SessionDetails } from './wire.ts';

/** Sessions of the signed-in user, last used first. */
export const listSessions = (signal?: AbortSignal) =>
  call<{ sessions: SessionDetails[] }>('GET', '/api/auth/sessions', { signal });

export const endSession = (id: string) => call<{ message: string }>('DELETE', `/api/auth/sessions/${id}`);

/** Also ends all other sessions. */
export const changePassword = (body: { current_password: string; new_password: string }) =>
  call<{ message: string }>('POST', '/api/auth/password', { body });
