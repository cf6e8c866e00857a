/** Hits and unmatched paths. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, createWrites, queryText } from './client/client.ts';
import type { Decided, GroupHits, Hits, MissingPathCluster, MissingPathPage, Overview } from './client/wire.ts';

export interface HitQuery {
  environment: Environment;
  /** `1d` to `365d`; or the first and the last day */
  period?: string;
  start_date?: string;
  end_date?: string;
  compare?: string;
  compare_start_date?: string;
  compare_end_date?: string;
  /** one of these: a part of the hits */
  agents?: string;
  country?: string;
  referrer?: string;
  utm_source?: string;
}

/** `limit`: the length of each list, up to 100. */
type ListQuery = HitQuery & { limit: number };

export const fetchOverview = (
  website_id: number,
  query: ListQuery & { group_id: string | undefined },
  signal?: AbortSignal,
) => call<Overview>('GET', '/api/v1/analytics/overview', { query: { website_id, ...query }, signal });

export const fetchRedirectHits = (redirectId: string, query: ListQuery, signal?: AbortSignal) =>
  call<Hits>('GET', `/api/v1/analytics/redirects/${encodeURIComponent(redirectId)}`, { query: { ...query }, signal });

export const fetchGroupHits = (website_id: number, query: ListQuery, signal?: AbortSignal) =>
  call<GroupHits>('GET', '/api/v1/analytics/groups', { query: { website_id, ...query }, signal });

export type HitTable = 'days' | 'redirects' | 'groups' | 'countries' | 'referrers' | 'utm_sources';

/** A complete table as CSV; with `redirect_id` that of a redirect. It compares nothing. */
export const exportUrl = (
  query: HitQuery & {
    website_id: number;
    redirect_id: string | undefined;
    group_id: string | undefined;
    table: HitTable;
  },
): string => {
  const compared = Object.entries(query).filter(([name]) => !name.startsWith('compare'));
  return `/api/v1/analytics/export${queryText(Object.fromEntries(compared))}`;
};

const writes = createWrites();

export const listMissingPaths = (
  websiteId: number,
  query: {
    environment: Environment;
    noise?: boolean | undefined;
    ignored: boolean;
    q?: string | undefined;
    sort?: '-hits' | '-assistant_hits' | '-last_seen_at' | 'path' | undefined;
    agents?: 'people' | 'bots' | 'assistants' | undefined;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) =>
  call<MissingPathPage>('GET', `/api/websites/${websiteId}/not-found`, { query: { ...query }, signal, after: writes });

/** Ignores paths, or stops ignoring them; in every environment if none is given. */
export const ignorePaths = (
  websiteId: number,
  body: { paths: string[]; ignored: boolean; environment?: Environment | undefined },
) => writes.track(call<{ ignored: number }>('POST', `/api/websites/${websiteId}/not-found/ignore`, { body }));

/** Groups of unmatched paths that one pattern matches, most hits first. */
export const listClusters = (websiteId: number, environment: Environment, signal?: AbortSignal) =>
  call<{ clusters: MissingPathCluster[] }>('GET', `/api/v1/websites/${websiteId}/not-found/clusters`, {
    query: { environment },
    signal,
    after: writes,
  });

/** A decision about unmatched paths; `accept_suggestion` redirects each to its first one. */
export type PathDecision =
  | { decision: 'redirect'; target: string; status_code: number }
  | { decision: 'gone' }
  | { decision: 'accept_suggestion'; min_confidence: 'sure' | 'likely' | 'guess' };

/** Decides paths as one change. A dry run changes nothing. */
export const decidePaths = (
  websiteId: number,
  body: PathDecision & { paths: string[]; target_environments: Environment[]; dry_run: boolean },
  signal?: AbortSignal,
) => {
  const path = `/api/v1/websites/${websiteId}/not-found/decide`;
  const decided = call<Decided>('POST', path, { body, signal, isRead: body.dry_run });
  return body.dry_run ? decided : writes.track(decided);
};
