/** Kinds of changes, of entries of the activity, of events, deliveries and agents. */
import type { NoticeChannel } from './notices.ts';

/** A write to the redirects of a website, as the list of changes shows it. */
export const CHANGE_KINDS = [
  'create',
  'update',
  'delete',
  'bulk_update',
  'bulk_delete',
  'import',
  'sync',
  'flatten',
  'promote',
  'restore',
  'undo',
  'discard',
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Days for which changes are listed and can be undone. */
export const CHANGE_RETENTION_DAYS = 30;

/**
 * Why an undo leaves a redirect as it is: it changed after the change; another redirect has its former path; or the
 * website no longer allows the host of its former target, or has no room for its former pattern.
 */
export const UNDO_CONFLICTS = ['CHANGED_SINCE', 'CONFLICT', 'TARGET_HOST_NOT_ALLOWED', 'TOO_MANY_PATTERNS'] as const;

export type UndoConflict = (typeof UNDO_CONFLICTS)[number];

/** Entries of the activity of a website: a change of redirects by its kind, a deployment, or a change of settings. */
export const ACTIVITY_KINDS = [...CHANGE_KINDS, 'deployment', 'settings'] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export const EVENT_KINDS = [
  'redirect.created',
  'redirect.updated',
  'redirect.deleted',
  'deployment.started',
  'deployment.completed',
  'deployment.failed',
  'bulk_import.completed',
  'bulk_export.completed',
  'check.completed',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** How a receiver is reached: `mail` is mail about the users of an account. */
export type Channel = 'webhook' | 'mail' | NoticeChannel;

/** Origins of a delivery: the event itself, a redelivery or replay that a user requested, or a test of the receiver. */
export const DELIVERY_KINDS = ['event', 'redelivery', 'replay', 'test'] as const;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** Kinds of agents: the edge agent, a server that `detour sync` configures, or the edge library. */
export const AGENT_KINDS = ['edge', 'nginx', 'apache', 'caddy', 'library'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];
/** An agent that is unseen for longer is silent. A waiting one reports each minute. */
export const AGENT_SILENT_SECONDS = 600;
