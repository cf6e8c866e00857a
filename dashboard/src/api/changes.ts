import type { ActivityKind } from '../../../src/vocabulary/kinds.ts';
import type { AuditAction } from '../../../src/vocabulary/audit.ts';
import { call } from './client/client.ts';
import { redirectWrites } from './redirects.ts';
import type { ActivityPage, AuditPage, Change, ChangeItem, HistoryEntry, Undone } from './client/wire.ts';

/** The activity of a website in the last 30 days, newest first. */
export const listActivity = async (
  query: {
    website_id: number;
    kind?: ActivityKind | undefined;
    actor?: string | undefined;
    old_path?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) => {
  await redirectWrites.ended();
  return call<ActivityPage>('GET', '/api/activity', { query, signal });
};

/** The audit log, newest first; for owners. */
export const listAudit = (
  query: { action?: AuditAction | undefined; cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => call<AuditPage>('GET', '/api/audit', { query, signal });

/** A change with a page of the redirects that it changed. */
export const fetchChange = async (
  id: string,
  query: { cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => {
  await redirectWrites.ended();
  return call<{ change: Change; items: ChangeItem[]; next_cursor: string | null }>('GET', `/api/changes/${id}`, {
    query,
    signal,
  });
};

/** The result of undoing the change now, without doing it. */
export const previewUndo = async (id: string, signal?: AbortSignal) => {
  await redirectWrites.ended();
  return call<Undone>('POST', `/api/changes/${id}/undo`, { body: { dry_run: true }, signal });
};

/** Restores each redirect of the change, except those that have changed since. */
export const undoChange = (id: string) =>
  redirectWrites.track(call<Undone>('POST', `/api/changes/${id}/undo`, { body: { dry_run: false } }));

/** The changes of one redirect, newest first. */
export const fetchHistory = async (
  redirectId: number,
  query: { cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => {
  await redirectWrites.ended();
  const path = `/api/redirects/${redirectId}/history`;
  return call<{ history: HistoryEntry[]; next_cursor: string | null }>('GET', path, { query, signal });
};
