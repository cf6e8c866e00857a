import { call } from './client.ts';
import type { SessionAnswer } from './wire.ts';

/** One's own, last used first. */
export const listSessions = (signal?: AbortSignal) =>
  call<{ sessions: SessionAnswer[] }>('GET', '/api/auth/sessions', { signal });

export const endSession = (id: string) => call<{ message: string }>('DELETE', `/api/auth/sessions/${id}`);

/** All other sessions end with it. */
export const changePassword = (body: { current_password: string; new_password: string }) =>
  call<{ message: string }>('POST', '/api/auth/password', { body });
