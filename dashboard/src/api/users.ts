import { call } from './client.ts';
import type { Role } from '../../../src/vocabulary/actor.ts';
import type { UserAnswer } from './wire.ts';

/** Oldest first. */
export const listUsers = (signal?: AbortSignal) =>
  call<{ users: UserAnswer[] }>('GET', '/api/users', { signal });

export const addUser = (body: { email: string; role: Role; password: string }) =>
  call<{ user: UserAnswer }>('POST', '/api/users', { body });

/** Their sessions end at once. */
export const removeUser = (id: number) => call<{ message: string }>('DELETE', `/api/users/${id}`);
