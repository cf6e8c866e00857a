import type { Plan } from './plan.ts';

export const ROLES = ['owner', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that a person limited to websites can have at one. */
export const WEBSITE_ROLES = ['editor', 'viewer'] as const satisfies Role[];
export type WebsiteRole = (typeof WEBSITE_ROLES)[number];
/** The websites of a limited person by id, possibly none. */
export type WebsiteRoles = Record<string, WebsiteRole>;

export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/** The client that sent a request, or the admin command. */
export interface Origin {
  /** its IP address, behind trusted proxies the one that they forward; null for the admin command */
  address: string | null;
  /** null if it sent none */
  userAgent: string | null;
  /** when the request arrived */
  at: Date;
  /** the same by stopwatch(); undefined for the admin command */
  arrivedAt?: number;
  /** lines of the audit log that it has caused, for the log */
  audited: Record<string, unknown>[];
}

/**
 * The caller of an operation. Queries are scoped by its account and websites (accounts/website-scope.ts). The system (a
 * loop, an admin command) may do everything.
 */
export interface Actor {
  accountId: number;
  plan: Plan;
  type: 'user' | 'key' | 'system';
  /** id of the user or key as a string; '' for the system */
  id: string;
  /** email of the user, name of the key, 'system' */
  name: string;
  /** null unless a user; of a limited person the highest role at any website, viewer without one */
  role: Role | null;
  /** null unless an API key */
  scope: Scope | null;
  /** the websites that a limited key or person reaches, possibly none; undefined: all of the account */
  websiteIds?: readonly number[] | undefined;
  /** of these, those where a limited person is an editor; undefined unless a person is limited */
  editableIds?: readonly number[] | undefined;
  /** undefined outside of a request and the admin command */
  origin?: Origin;
}
