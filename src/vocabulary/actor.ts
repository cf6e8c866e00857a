import type { Plan } from './plan.ts';

export const ROLES = ['owner', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Who is asking. Every operation takes one, and every query is scoped by its accountId.
 * A user has a role; an API key has a scope; the system (a loop, an admin command) has neither and may do everything.
 */
export interface Actor {
  accountId: number;
  plan: Plan;
  type: 'user' | 'key' | 'system';
  /** id of the user or key as a string; '' for the system */
  id: string;
  /** e-mail of the user, name of the key, 'system' */
  name: string;
  role: Role | null;
  scope: Scope | null;
}
