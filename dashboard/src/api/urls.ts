/** The URLs of a website, their lists, and the check of the rules against them. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { UrlAnswer } from '../../../src/vocabulary/urls.ts';
import { call, type NextPage, type PageQuery, queryText } from './client/client.ts';
import type { AcceptedLoss, PushedUrls, SuggestedPages, UrlCheck, UrlList, WebsiteUrl } from './client/wire.ts';

const pathOf = (websiteId: number): string => `/api/v1/websites/${websiteId}/urls`;

export interface UrlFilter {
  environment: Environment;
  state?: string | undefined;
  list?: string | undefined;
  source?: string | undefined;
  type?: string | undefined;
  q?: string | undefined;
}

/**
 * A page of URLs, with what answers them. Default order: worst first. For the lost ones, `suggest` adds targets, and
 * `draft` what answers them after the next deployment.
 */
export const listUrls = (
  websiteId: number,
  query: UrlFilter &
    PageQuery & { answered?: UrlAnswer | undefined; sort?: string | undefined; suggest?: boolean; draft?: boolean },
  signal?: AbortSignal,
) =>
  call<NextPage & { urls: WebsiteUrl[]; pending?: boolean }>('GET', pathOf(websiteId), { query: { ...query }, signal });

/** The living pages that a path without a redirect may have become. */
export const suggestPages = (
  websiteId: number,
  query: { environment: Environment; path: string },
  signal: AbortSignal,
) => call<SuggestedPages>('GET', `/api/v1/websites/${websiteId}/suggestions`, { query, signal });

/** Download of all URLs that the filter finds. */
export const urlExport = (websiteId: number, filter: UrlFilter): string =>
  `${pathOf(websiteId)}/export${queryText({ ...filter, format: 'csv' })}`;

/** The lists of all environments, with the versions that can be restored. */
export const listUrlLists = (websiteId: number, signal?: AbortSignal) =>
  call<{ lists: UrlList[] }>('GET', `${pathOf(websiteId)}/lists`, { signal });

export interface PushQuery {
  list: string;
  environment: Environment;
  /** a count, or a percentage */
  max_removed: string;
  dry_run?: boolean;
}

/** Makes a list exactly that of the file. */
export const pushUrls = (websiteId: number, file: File, query: PushQuery, signal?: AbortSignal) =>
  call<PushedUrls>('PUT', `${pathOf(websiteId)}/living`, {
    query: { ...query },
    // The service looks at the content only.
    file: { content: file, type: 'application/octet-stream' },
    isRead: query.dry_run === true,
    signal,
  });

/** `if_list_version`: REVISION_CHANGED if the list has another version. */
export const restoreUrls = (
  websiteId: number,
  body: Pick<UrlList, 'list' | 'environment' | 'list_version'> & { if_list_version?: number },
) =>
  call<{ urls: { total: number; added: number; removed: number } }>('POST', `${pathOf(websiteId)}/restore`, { body });

/** Fetches the sitemaps of the website. */
export const fetchSitemaps = (websiteId: number) =>
  call<{ lists: Pick<UrlList, 'list' | 'problem'>[] }>('POST', `${pathOf(websiteId)}/fetch`);

/** `against`: the live version, the undeployed changes, or a version of the environment. */
export const checkUrls = (
  websiteId: number,
  body: { environment: Environment; against: 'live' | 'draft' | number },
  signal?: AbortSignal,
) => call<UrlCheck>('POST', `${pathOf(websiteId)}/check`, { body, signal, isRead: true });

export const listAccepted = (websiteId: number, signal?: AbortSignal) =>
  call<{ accepted: AcceptedLoss[] }>('GET', `${pathOf(websiteId)}/accepted`, { signal });

/**
 * Replaces the accepted losses with these globs, and those with the globs of `next`, by `next`. Others stay as they are
 * now. Resolves with the function that undoes it.
 */
export async function changeAccepted(
  websiteId: number,
  globs: readonly string[],
  next: readonly AcceptedLoss[] = [],
): Promise<() => Promise<unknown>> {
  const { accepted: now } = await listAccepted(websiteId);
  const changed = new Set([...globs, ...next.map(({ glob }) => glob)]);
  const others = now.filter(({ glob }) => !changed.has(glob));
  await call('PUT', `${pathOf(websiteId)}/accepted`, { body: { accepted: [...others, ...next] } });
  return () =>
    changeAccepted(
      websiteId,
      [...changed],
      now.filter(({ glob }) => changed.has(glob)),
    );
}
