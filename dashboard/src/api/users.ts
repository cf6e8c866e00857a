import { call } from './client.ts';
import type { Role } from '../../../src/vocabulary/actor.ts';
import type { AccountUserDetails } from './wire.ts';

/** Oldest first. */
export const listUsers = (signal?: AbortSignal) =>
  call<{ users: AccountUserDetails[] }>('GET', '/api/users', { signal });

export const addUser = (body: { email: string; role: Role; password: string }) =>
  call<{ user: AccountUserDetails }>('POST', '/api/users', { body });

export const changeRole = (id: number, role: Role) =>
  call<{ user: AccountUserDetails }>('PUT', `/api/users/${id}`, { body: { role } });

/** Also ends the user's sessions. */
export const removeUser = (id: number) => call<{ message: string }>('DELETE', `/api/users/${id}`);
