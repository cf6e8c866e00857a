import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { EventKind } from '../../../src/vocabulary/event.ts';
import { call, fetchFile, type NamedFile, queryText } from './client.ts';
import type { ExportFormat, Redirect, RedirectCheck, RedirectFields } from './wire.ts';

/** Which redirects of a website are meant; the words are those of the API. */
export interface RedirectFilter {
  website_id: number;
  q?: string | undefined;
  environment?: Environment | undefined;
  status_code?: number | undefined;
  is_regex?: boolean | undefined;
  /** empty: those without a group */
  group?: string | undefined;
  /** a day: not followed by anybody since */
  last_hit_before?: string | undefined;
  /** a day: created before it */
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
    /** such as `30d`: each tells its hits of that period */
    hits_since?: string | undefined;
    /** only these, separated by commas */
    ids?: string;
  },
  signal?: AbortSignal,
) => call<RedirectPage>('GET', '/api/redirects', { query: { ...filter, ...page }, signal });

export const countRedirects = (filter: RedirectFilter, signal?: AbortSignal) =>
  call<{ count: number }>('GET', '/api/redirects/count', { query: { ...filter }, signal });

export const fetchRedirect = (id: number, signal?: AbortSignal) =>
  call<{ redirect: Redirect }>('GET', `/api/redirects/${id}`, { signal });

/** What creating it would say, or changing the one with this `id`, and where it would lead. Stores nothing. */
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

/** Redirects by id (at most 10,000), or all that a filter matches. */
export type BulkSelection = { redirectIds: number[] } | { filter: RedirectFilter };

export type BulkChange = Partial<
  Pick<RedirectFields, 'target_environments' | 'group_id' | 'status_code' | 'notes'>
>;

export const bulkUpdate = (selection: BulkSelection, updates: BulkChange) =>
  call<{ updated: number }>('POST', '/api/redirects/bulk-update', {
    body: { ...selection, updates },
  });

export const bulkDelete = (selection: BulkSelection) =>
  call<{ deleted: number }>('DELETE', '/api/redirects/bulk-delete', { body: selection });

/** Takes back the last change or deletion of one redirect. */
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
  /** what the format cannot express becomes a comment instead of a refusal */
  lossy?: boolean;
}

/** The address of an export, to be followed as a download. */
export const exportAddress = (query: ExportQuery): string =>
  `/api/v1/redirects/bulk/export${queryText({ ...query })}`;

/** An export as a file that the browser holds: for formats that may refuse, since a download that is refused only breaks off. */
export const fetchExport = (query: ExportQuery, signal: AbortSignal): Promise<NamedFile> =>
  fetchFile(exportAddress(query), signal);
