/** Expectations, and the health of the redirects. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, createWrites, type NextPage, type PageQuery } from './client/client.ts';
import type {
  BrokenTarget,
  Expectation,
  ExpectationRun,
  Flattened,
  HealthPage,
  ListedExpectation,
} from './client/wire.ts';
import { type Changed, redirectWrites } from './redirects.ts';

const writes = createWrites();

const pathOf = (websiteId: number): string => `/api/websites/${websiteId}/expectations`;

export type ExpectationResult = 'fails' | 'holds' | 'none';

export const listExpectations = (
  websiteId: number,
  query: PageQuery & {
    sort: 'result';
    /** text in the URL */
    q: string | undefined;
    /** the last result; `none`: without one */
    result: ExpectationResult | undefined;
  },
  signal?: AbortSignal,
) =>
  call<NextPage & { expectations: ListedExpectation[]; outdated: Environment[] }>('GET', pathOf(websiteId), {
    query: { ...query },
    signal,
    after: writes,
  });

/** Download of all expectations, as a file that can be imported again. */
export const expectationsUrl = (websiteId: number): string => `${pathOf(websiteId)}?format=csv`;

/** Adds expectations, at most 10,000, and replaces those with the same URL and environment. */
export const putExpectations = (websiteId: number, expectations: readonly Expectation[]) =>
  writes.track(call<{ created: number; updated: number }>('POST', pathOf(websiteId), { body: { expectations } }));

export const deleteExpectation = (websiteId: number, { url, environment }: Pick<Expectation, 'url' | 'environment'>) =>
  writes.track(call('DELETE', pathOf(websiteId), { query: { url, environment } }));

/** Replaces all expectations by those of a file. */
export const replaceExpectations = (websiteId: number, file: File) =>
  writes.track(
    call<{ created: number; updated: number; deleted: number }>('PUT', pathOf(websiteId), {
      file: { content: file, type: contentTypeOf(file.name) },
    }),
  );

function contentTypeOf(name: string): string {
  if (/\.json$/i.test(name)) return 'application/json';
  return /\.(ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'text/csv';
}

/** `against`: the live version, the undeployed changes, or a version of the environment. */
export const runExpectations = (
  websiteId: number,
  body: { environment: Environment; against: 'live' | 'draft' | number; against_environment?: Environment },
  signal?: AbortSignal,
) => call<ExpectationRun>('POST', `${pathOf(websiteId)}/run`, { body, after: writes, signal });

export const fetchHealth = (
  websiteId: number,
  query: { environment: Environment; cursor?: string | undefined },
  signal?: AbortSignal,
) => call<HealthPage>('GET', `/api/websites/${websiteId}/health`, { query: { ...query }, signal });

/** A page of redirects whose target does not work. `pending`: the suggestions are not computed yet. */
export const listBrokenTargets = (
  websiteId: number,
  query: PageQuery & { environment: Environment; target?: string | undefined },
  signal?: AbortSignal,
) =>
  call<NextPage & { targets: BrokenTarget[]; pending: boolean }>('GET', `/api/websites/${websiteId}/health/targets`, {
    query: { ...query },
    signal,
  });

/** The chains of an environment that are flattened. `redirect_ids`: those that begin with these redirects. */
export interface FlattenScope {
  environment: Environment;
  redirect_ids?: number[] | undefined;
}

const flatten = (websiteId: number, body: FlattenScope & { dry_run: boolean }, signal?: AbortSignal) =>
  call<Flattened & Changed>('POST', `/api/websites/${websiteId}/health/flatten`, { body, signal });

/** The result of flattening the chains, without doing it. */
export const previewFlatten = (websiteId: number, scope: FlattenScope, signal: AbortSignal) =>
  flatten(websiteId, { ...scope, dry_run: true }, signal);

export const flattenChains = (websiteId: number, scope: FlattenScope) =>
  redirectWrites.track(flatten(websiteId, { ...scope, dry_run: false }));
