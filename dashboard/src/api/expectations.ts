import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, createWrites } from './client/client.ts';
import type { Expectation, ExpectationRun } from './client/wire.ts';

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
