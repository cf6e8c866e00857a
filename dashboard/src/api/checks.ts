/** Expectations, and the health of the redirects. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, createWrites } from './client/client.ts';
import type { Expectation, ExpectationRun, Flattened, HealthPage } from './client/wire.ts';
import { type Changed, redirectWrites } from './redirects.ts';

const writes = createWrites();

const pathOf = (websiteId: number): string => `/api/websites/${websiteId}/expectations`;

export const listExpectations = async (
  websiteId: number,
  query: { cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => {
  await writes.ended();
  return call<{ expectations: Expectation[]; next_cursor: string | null }>('GET', pathOf(websiteId), { query, signal });
};

/** Download of all expectations, as a file that can be imported again. */
export const expectationsUrl = (websiteId: number): string => `${pathOf(websiteId)}?format=csv`;

export interface ExpectationCounts {
  created: number;
  updated: number;
  deleted: number;
}

/** Adds an expectation, or replaces the one with the same URL and environment. */
export const putExpectation = (websiteId: number, expectation: Expectation) =>
  writes.track(call<Partial<ExpectationCounts>>('POST', pathOf(websiteId), { body: { expectations: [expectation] } }));

export const deleteExpectation = (websiteId: number, { url, environment }: Pick<Expectation, 'url' | 'environment'>) =>
  writes.track(call<{ message: string }>('DELETE', pathOf(websiteId), { query: { url, environment } }));

/** Replaces all expectations by those of a file. */
export const replaceExpectations = (websiteId: number, file: File) =>
  writes.track(
    call<ExpectationCounts>('PUT', pathOf(websiteId), { file: { content: file, type: contentTypeOf(file.name) } }),
  );

function contentTypeOf(name: string): string {
  if (/\.json$/i.test(name)) return 'application/json';
  return /\.(ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'text/csv';
}

/** `against`: the live version, the undeployed changes, or a version of the environment. */
export const runExpectations = async (
  websiteId: number,
  body: { environment: Environment; against: 'live' | 'draft' | number },
) => {
  await writes.ended();
  return call<ExpectationRun>('POST', `${pathOf(websiteId)}/run`, { body });
};

export const fetchHealth = (
  websiteId: number,
  query: { environment: Environment; cursor?: string | undefined },
  signal?: AbortSignal,
) => call<HealthPage>('GET', `/api/websites/${websiteId}/health`, { query: { ...query }, signal });

/** The result of flattening the chains, without doing it. */
export const previewFlatten = (websiteId: number, environment: Environment, signal: AbortSignal) =>
  call<Flattened>('POST', `/api/websites/${websiteId}/health/flatten`, {
    body: { environment, dry_run: true },
    signal,
  });

export const flattenChains = (websiteId: number, environment: Environment) =>
  redirectWrites.track(
    call<Flattened & Changed>('POST', `/api/websites/${websiteId}/health/flatten`, {
      body: { environment, dry_run: false },
    }),
  );
