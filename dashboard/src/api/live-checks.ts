/** Live checks: whether targets, redirects and pages respond over the network. */
import type { CheckKind, CheckState } from '../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, type NextPage, type PageQuery } from './client/client.ts';
import type { ListedLiveCheck, LiveCheck, LiveCheckResult, PastResult } from './client/wire.ts';

const pathOf = (websiteId: number): string => `/api/v1/websites/${websiteId}/checks`;

export const listLiveChecks = (websiteId: number, query: PageQuery, signal?: AbortSignal) =>
  call<NextPage & { checks: ListedLiveCheck[] }>('GET', pathOf(websiteId), { query: { ...query }, signal });

/** A check with its counts. */
export const getLiveCheck = async (websiteId: number, checkId: string, signal?: AbortSignal): Promise<LiveCheck> =>
  (await call<{ check: LiveCheck }>('GET', `${pathOf(websiteId)}/${checkId}`, { signal })).check;

/** `base_url`: undefined for https at the first verified host of the environment. `rate`: requests a second. */
export const startLiveCheck = (
  websiteId: number,
  body: {
    kind: CheckKind;
    environment: Environment;
    base_url?: string | undefined;
    rate?: number;
    /** only redirects with this target */
    filter?: { new_path: string };
  },
) => call<{ check: LiveCheck }>('POST', pathOf(websiteId), { body });

export const stopLiveCheck = (websiteId: number, checkId: string) =>
  call<{ check: LiveCheck }>('DELETE', `${pathOf(websiteId)}/${checkId}`);

export const listLiveResults = (
  websiteId: number,
  checkId: string,
  query: PageQuery & { state?: CheckState | undefined; is_newly_broken?: boolean | undefined },
  signal?: AbortSignal,
) =>
  call<NextPage & { results: LiveCheckResult[] }>('GET', `${pathOf(websiteId)}/${checkId}/results`, {
    query: { ...query },
    signal,
  });

/** A page of the results of a URL in all checks, newest first. */
export const listPastResults = (websiteId: number, query: PageQuery & { url: string }, signal?: AbortSignal) =>
  call<NextPage & { history: PastResult[] }>('GET', `${pathOf(websiteId)}/history`, { query: { ...query }, signal });

/** Replaces the user and password that checks send to one own host. `hostname`: null removes them. */
export const putCheckCredentials = (
  websiteId: number,
  body: { hostname: string; username: string; password: string } | { hostname: null },
) => call<{ message: string }>('PUT', `${pathOf(websiteId)}/credentials`, { body });
