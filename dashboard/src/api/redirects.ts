import type { TARGET_STATE_FILTERS } from '../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { ErrorCode } from '../../../src/vocabulary/error.ts';
import {
  call,
  createWrites,
  fetchFile,
  type NamedFile,
  type NextPage,
  type PageQuery,
  queryText,
} from './client/client.ts';
import type {
  ExportFormat,
  GroupPage,
  Redirect,
  RedirectCheck,
  RedirectFields,
  ResolvedUrls,
  SavedView,
  TestedUrl,
} from './client/wire.ts';

/** A state of a target, `broken` or `unchecked`. */
export type TargetStateFilter = (typeof TARGET_STATE_FILTERS)[number];

/** Reads of redirects and of their changes wait for these. */
export const redirectWrites = createWrites();

/** A response to a write. */
export interface Changed {
  /** null if nothing changed */
  change_id: string | null;
}

/** One of these values; of a `not_` parameter, none of them. */
type Several<Value> = Value | Value[] | undefined;

/** Query parameters of the list. */
export interface RedirectFilter {
  website_id: number;
  q?: string | undefined;
  not_group?: Several<string>;
  not_environment?: Several<Environment>;
  not_status_code?: Several<number>;
  not_old_path_contains?: Several<string>;
  not_new_path_contains?: Several<string>;
  not_target_state?: Several<TargetStateFilter>;
  /** text in the notes */
  notes?: string | undefined;
  environment?: Environment | undefined;
  status_code?: Several<number>;
  is_regex?: boolean | undefined;
  /** '': redirects without a group */
  group?: Several<string>;
  /** exactly this target */
  new_path?: string | undefined;
  /** text in the target */
  new_path_contains?: string | undefined;
  /** text in the source */
  old_path_contains?: string | undefined;
  schedule?: 'upcoming' | 'active' | 'expired' | 'any' | 'none' | undefined;
  /** a time: starts or ends from now on, and before it */
  schedule_before?: string | undefined;
  /** a date: last hit before it, or never */
  last_hit_before?: string | undefined;
  /** a date: hit since it */
  last_hit_since?: string | undefined;
  target_state?: TargetStateFilter | undefined;
  /** dates */
  created_before?: string | undefined;
  created_since?: string | undefined;
  updated_since?: string | undefined;
}

export type RedirectPage = NextPage & { redirects: Redirect[] };

/** With the rules that visitors get if they differ. */
const include = 'live';

export const listRedirects = (
  filter: RedirectFilter,
  page: PageQuery & {
    sort?: string;
    /** period such as `30d`: returns hits and last hit of each redirect */
    hits_since?: string | undefined;
    /** also the hits of each of its days */
    daily_hits?: boolean | undefined;
    /** comma-separated */
    ids?: string;
  },
  signal?: AbortSignal,
) =>
  call<RedirectPage>('GET', '/api/redirects', {
    query: { ...filter, ...page, include },
    signal,
    after: redirectWrites,
  });

/** Redirects by a filter, newest first; without `website_id` of all websites. */
export const findRedirects = (
  query: Omit<RedirectFilter, 'website_id'> & { website_id?: number | undefined; limit: number },
  signal?: AbortSignal,
) => call<{ redirects: Redirect[] }>('GET', '/api/redirects', { query, signal });

const viewsPath = (websiteId: number): string => `/api/websites/${websiteId}/views`;

/** By name; a website has at most 100. */
export const listSavedViews = (websiteId: number, signal?: AbortSignal) =>
  call<{ views: SavedView[] }>('GET', viewsPath(websiteId), { signal });

type ViewFields = Pick<SavedView, 'name' | 'query'>;

export const createSavedView = (websiteId: number, body: ViewFields) =>
  call<{ view: SavedView }>('POST', viewsPath(websiteId), { body });

export const updateSavedView = (websiteId: number, id: string, body: ViewFields) =>
  call<{ view: SavedView }>('PUT', `${viewsPath(websiteId)}/${encodeURIComponent(id)}`, { body });

export const deleteSavedView = (websiteId: number, id: string) =>
  call('DELETE', `${viewsPath(websiteId)}/${encodeURIComponent(id)}`);

/** The groups of a website: of exactly this name, then those that begin with the text, then the largest. */
export const listGroups = (websiteId: number, query: { q?: string | undefined; limit: number }, signal?: AbortSignal) =>
  call<GroupPage>('GET', `/api/websites/${websiteId}/groups`, { query, signal });

export const countRedirects = (filter: RedirectFilter, signal?: AbortSignal) =>
  call<{ count: number }>('GET', '/api/redirects/count', { query: { ...filter }, signal, after: redirectWrites });

export const fetchRedirect = (id: number, signal?: AbortSignal) =>
  call<{ redirect: Redirect }>('GET', `/api/redirects/${id}`, { query: { include }, signal, after: redirectWrites });

/** Validates a new redirect, or a change of the one with this `id`, and traces its target. Stores nothing. */
export const checkRedirect = (
  body: RedirectFields & { website_id: number; id?: number; try_path?: string },
  signal?: AbortSignal,
) => call<RedirectCheck>('POST', '/api/redirects/check', { body, signal, isRead: true });

export const createRedirect = (body: RedirectFields & { website_id: number }) =>
  redirectWrites.track(call<Changed & { redirect: Redirect }>('POST', '/api/redirects', { body }));

/** `if_updated_at`: CHANGED_SINCE if the redirect has been changed after it. */
export const updateRedirect = (id: number, body: Partial<RedirectFields> & { if_updated_at?: string }) =>
  redirectWrites.track(
    call<Changed & { redirect: Partial<Redirect> & Pick<Redirect, 'id' | 'updated_at'> }>(
      'PUT',
      `/api/redirects/${id}`,
      { body },
    ),
  );

export const deleteRedirect = (id: number) => redirectWrites.track(call<Changed>('DELETE', `/api/redirects/${id}`));

/** Redirects by id (up to 10,000), or all that match a filter. */
export type BulkSelection = { redirectIds: number[] } | { filter: RedirectFilter };

export interface Replacement {
  find: string;
  replace_with: string;
}

export type BulkChange = Partial<
  Omit<RedirectFields, 'old_path' | 'new_path' | 'is_regex'> & {
    /** comma-separated */
    add_environments: string;
    remove_environments: string;
    replace_in_new_path: Replacement;
    replace_in_old_path: Replacement;
  }
>;

/** Redirects that a bulk update cannot change, for one reason. */
export interface BulkProblem {
  field: string;
  code: ErrorCode;
  message: string;
  count: number;
  /** the first 100 */
  redirects: { redirect_id: number; old_path: string; message: string }[];
}

export interface BulkEffect {
  changed: number;
  unchanged: number;
  invalid: number;
  problems: BulkProblem[];
  /** the first three with another path or target */
  samples?: {
    redirect_id: number;
    old_path: string;
    new_old_path?: string;
    before: string | null;
    after: string | null;
  }[];
}

/** The effect that an update would have. */
export const previewBulkUpdate = (selection: BulkSelection, updates: BulkChange, signal?: AbortSignal) =>
  call<{ effect: BulkEffect }>('POST', '/api/redirects/bulk-update', {
    body: { ...selection, updates, dry_run: true },
    signal,
    after: redirectWrites,
  });

/** Updates the valid redirects, and leaves out the others. */
export const bulkUpdate = (selection: BulkSelection, updates: BulkChange) =>
  redirectWrites.track(
    call<Changed & { effect: BulkEffect }>('POST', '/api/redirects/bulk-update', {
      body: { ...selection, updates, skip_invalid: true },
    }),
  );

/** Redirects that lead to `from`, and their next target. */
export interface Retarget {
  redirectIds: number[];
  from: string;
  to: string;
}

/** The result of `retarget`. `error`: why it ended before the last part. */
export interface Retargeted {
  effect: BulkEffect;
  changeIds: string[];
  error?: unknown;
}

/**
 * Gives redirects other targets, as one bulk update for each part. Redirects that lead elsewhere by now stay, as do those
 * that the target would make invalid. Rejects if nothing was done.
 */
export async function retarget(parts: readonly Retarget[]): Promise<Retargeted> {
  const effect: BulkEffect = { changed: 0, unchanged: 0, invalid: 0, problems: [] };
  const changeIds: string[] = [];
  for (const { redirectIds, from, to } of parts) {
    try {
      const updates = { replace_in_new_path: { find: from, replace_with: to } };
      const { effect: more, change_id: changeId } = await bulkUpdate({ redirectIds }, updates);
      for (const name of ['changed', 'unchanged', 'invalid'] as const) effect[name] += more[name];
      effect.problems.push(...more.problems);
      if (changeId !== null) changeIds.push(changeId);
    } catch (error) {
      // The completed parts can still be undone.
      if (changeIds.length === 0) throw error;
      return { effect, changeIds, error };
    }
  }
  return { effect, changeIds };
}

/** Environments and hits of 30 days of what a deletion would delete. */
export interface DeletionEffect {
  environments: Environment[];
  hits: number;
}

/** Without a deletion: how many it would delete, and its effect. */
export const previewDelete = (selection: BulkSelection, signal: AbortSignal) =>
  call<{ deleted: number; effect: DeletionEffect }>('DELETE', '/api/redirects/bulk-delete', {
    body: { ...selection, dry_run: true },
    signal,
  });

export const bulkDelete = (selection: BulkSelection) =>
  redirectWrites.track(
    call<Changed & { deleted: number }>('DELETE', '/api/redirects/bulk-delete', { body: selection }),
  );

interface ExportQuery {
  website_id: number;
  format: ExportFormat;
  environment?: Environment;
  version?: 'live' | 'draft';
  /** replaces redirects that the format cannot express by comments, instead of failing */
  lossy?: boolean;
}

/** The download URL of the redirects that a list shows. */
export function filteredExportUrl(format: ExportFormat, { environment, group, ...filter }: RedirectFilter): string {
  const { not_environment, not_group, ...same } = filter;
  const named = {
    ...same,
    target_environment: environment,
    group_id: group,
    not_target_environment: not_environment,
    not_group_id: not_group,
  };
  return `/api/v1/redirects/bulk/export${queryText({ format, ...named })}`;
}

/** The download URL of an export. */
export const exportUrl = (query: ExportQuery): string => `/api/v1/redirects/bulk/export${queryText({ ...query })}`;

/** Downloads an export into memory, so that validation errors can be shown. */
export const fetchExport = (query: ExportQuery, signal: AbortSignal): Promise<NamedFile> =>
  fetchFile(exportUrl(query), signal);

/** The rules and the time of a test. */
export interface TestOptions {
  website_id: number;
  environment: Environment;
  /** `draft`: the current redirects, undeployed changes included */
  against: 'live' | 'draft';
  /** an ISO time at which schedules are evaluated; default: now */
  at?: string | undefined;
}

export const testUrl = (body: TestOptions & { url: string }, signal?: AbortSignal) =>
  call<TestedUrl>('POST', '/api/redirects/test', { body, signal, isRead: true });

/** Tests 1 to 5,000 URLs; the results are in their order. */
export const testUrls = (body: TestOptions & { urls: string[] }) =>
  call<ResolvedUrls>('POST', '/api/redirects/test', { body, isRead: true });
