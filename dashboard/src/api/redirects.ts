import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { EventKind } from '../../../src/vocabulary/event.ts';
import { call, fetchFile, type NamedFile, queryText } from './client.ts';
import type { ExportFormat, Redirect, RedirectCheck, RedirectFields } from './wire.ts';

/** Query parameters of the list. */
export interface RedirectFilter {
  website_id: number;
  q?: string | undefined;
  environment?: Environment | undefined;
  status_code?: number | undefined;
  is_regex?: boolean | undefined;
  /** '': redirects without a group */
  group?: string | undefined;
  /** a date: last hit before it, or never */
  last_hit_before?: string | undefined;
  /** a date */
  created_before?: string | undefined;
}

export interface RedirectPage {
  redirects: Redirect[];
  next_cursor: string | null;
}

export const listRedirects = (
  filter: RedirectFilter,
  page: {
    sort?: string;
    limit: number;
    cursor?: string | undefined;
    /** period such as `30d`: returns hits and last hit of each redirect */
    hits_since?: string | undefined;
    /** comma-separated */
    ids?: string;
  },
  signal?: AbortSignal,
) => call<RedirectPage>('GET', '/api/redirects', { query: { ...filter, ...page }, signal });

export const countRedirects = (filter: RedirectFilter, signal?: AbortSignal) =>
  call<{ count: number }>('GET', '/api/redirects/count', { query: { ...filter }, signal });

export const fetchRedirect = (id: number, signal?: AbortSignal) =>
  call<{ redirect: Redirect }>('GET', `/api/redirects/${id}`, { signal });

/** Validates a new redirect, or a change of the one with this `id`, and traces its target. Stores nothing. */
export const checkRedirect = (
  body: RedirectFields & { website_id: number; id?: number; try_path?: string },
  signal?: AbortSignal,
) => call<RedirectCheck>('POST', '/api/redirects/check', { body, signal });

export const createRedirect = (body: RedirectFields & { website_id: number }) =>
  call<{ redirect: Redirect }>('POST', '/api/redirects', { body });

export const updateRedirect = (id: number, body: Partial<RedirectFields>) =>
  call<{ redirect: Partial<Redirect> & Pick<Redirect, 'id' | 'updated_at'> }>('PUT', `/api/redirects/${id}`, {
    body,
  });

export const deleteRedirect = (id: number) => call<{ message: string }>('DELETE', `/api/redirects/${id}`);

/** Redirects by id (up to 10,000), or all that match a filter. */
export type BulkSelection = { redirectIds: number[] } | { filter: RedirectFilter };

export type BulkChange = Partial<Pick<RedirectFields, 'target_environments' | 'group_id' | 'status_code' | 'notes'>>;

export const bulkUpdate = (selection: BulkSelection, updates: BulkChange) =>
  call<{ updated: number }>('POST', '/api/redirects/bulk-update', {
    body: { ...selection, updates },
  });

export const bulkDelete = (selection: BulkSelection) =>
  call<{ deleted: number }>('DELETE', '/api/redirects/bulk-delete', { body: selection });

/** Undoes the last change or deletion of one redirect. */
export async function undoLast(
  websiteId: number,
  redirectId: number,
  event: Extract<EventKind, 'redirect.updated' | 'redirect.deleted'>,
): Promise<Redirect> {
  const query = { website_id: websiteId, redirect_id: redirectId, event, limit: 1 };
  const { events } = await call<{ events: { id: string }[] }>('GET', '/api/events', { query });
  const body = { website_id: websiteId, event_id: events[0]?.id ?? '' };
  return (await call<{ redirect: Redirect }>('POST', '/api/redirects/restore', { body })).redirect;
}

interface ExportQuery {
  website_id: number;
  format: ExportFormat;
  environment?: Environment;
  version?: 'live' | 'draft';
  /** replaces redirects that the format cannot express by comments, instead of failing */
  lossy?: boolean;
}

/** The download URL of an export. */
export const exportUrl = (query: ExportQuery): string => `/api/v1/redirects/bulk/export${queryText({ ...query })}`;

/** Downloads an export into memory, so that validation errors can be shown. */
export const fetchExport = (query: ExportQuery, signal: AbortSignal): Promise<NamedFile> =>
  fetchFile(exportUrl(query), signal);
