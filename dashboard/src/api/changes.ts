import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { ActivityKind } from '../../../src/vocabulary/kinds.ts';
import type { AuditAction } from '../../../src/vocabulary/audit.ts';
import { call, type NextPage, type PageQuery, queryText } from './client/client.ts';
import { redirectWrites } from './redirects.ts';
import type { ActivityPage, AuditPage, Change, ChangeItem, Discarded, HistoryEntry, Undone } from './client/wire.ts';

export interface ActivityFilter {
  website_id: number | undefined;
  kind?: ActivityKind | undefined;
  actor?: string | undefined;
  old_path?: string | undefined;
  since?: string | undefined;
  /** exclusive */
  until?: string | undefined;
}

/** The activity of a website, or of all, in the last 30 days, newest first. */
export const listActivity = (query: PageQuery & ActivityFilter, signal?: AbortSignal) =>
  call<ActivityPage>('GET', '/api/activity', { query: { ...query }, signal, after: redirectWrites });

/** The file of all entries that the filter finds. */
export const activityExport = (filter: ActivityFilter): string =>
  `/api/activity${queryText({ ...filter, format: 'csv' })}`;

/** undefined: not set. */
export interface AuditFilter {
  action?: AuditAction | undefined;
  /** the email of a user, the name of an API key, or `system` */
  actor?: string | undefined;
  since?: string | undefined;
  /** exclusive */
  until?: string | undefined;
}

/** The audit log, newest first; for owners. */
export const listAudit = (query: PageQuery & AuditFilter, signal?: AbortSignal) =>
  call<AuditPage>('GET', '/api/audit', { query: { ...query }, signal });

/** The same of the audit log. */
export const auditExport = (filter: AuditFilter): string => `/api/audit${queryText({ ...filter, format: 'csv' })}`;

/** A change with a page of the redirects that it changed. */
export const fetchChange = (id: string, query: PageQuery, signal?: AbortSignal) =>
  call<NextPage & { change: Change; items: ChangeItem[] }>('GET', `/api/changes/${id}`, {
    query: { ...query },
    signal,
    after: redirectWrites,
  });

/** The result of undoing the change now, without doing it. */
export const previewUndo = (id: string, signal?: AbortSignal) =>
  call<Undone>('POST', `/api/changes/${id}/undo`, { body: { dry_run: true }, signal, after: redirectWrites });

/** Restores each redirect of the change, except those that have changed since. */
export const undoChange = (id: string) =>
  redirectWrites.track(call<Undone>('POST', `/api/changes/${id}/undo`, { body: { dry_run: false } }));

/** Takes back what waits for a deployment, of all redirects or of these. A dry run only says what it would do. */
export function discardChanges(
  websiteId: number,
  body: { environment: Environment; redirect_ids?: number[]; dry_run?: boolean },
  signal?: AbortSignal,
): Promise<Discarded> {
  const path = `/api/websites/${websiteId}/discard`;
  return body.dry_run
    ? call<Discarded>('POST', path, { body, signal, after: redirectWrites })
    : redirectWrites.track(call<Discarded>('POST', path, { body }));
}

/** The changes of one redirect, newest first. */
export const fetchHistory = (redirectId: number, query: PageQuery, signal?: AbortSignal) =>
  call<NextPage & { history: HistoryEntry[] }>('GET', `/api/redirects/${redirectId}/history`, {
    query: { ...query },
    signal,
    after: redirectWrites,
  });
