import type { AuditAction } from '../../../src/vocabulary/audit.ts';
import type { EventKind } from '../../../src/vocabulary/event.ts';
import { call } from './client.ts';
import type { AuditPage, EventPage, Redirect } from './wire.ts';

export const listEvents = (
  query: {
    website_id?: number | undefined;
    redirect_id?: string | undefined;
    event?: EventKind | undefined;
    cursor?: string | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) => call<EventPage>('GET', '/api/events', { query, signal });

/** Undoes one change or deletion of the last 24 hours. CONFLICT if the redirect has changed since. */
export const restoreRedirect = (body: { website_id: number; event_id: string }) =>
  call<{ redirect: Redirect }>('POST', '/api/redirects/restore', { body });

/** The audit log, newest first; for owners. */
export const listAudit = (
  query: { action?: AuditAction | undefined; cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => call<AuditPage>('GET', '/api/audit', { query, signal });
