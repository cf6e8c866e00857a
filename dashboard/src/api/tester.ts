import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client/client.ts';
import type { ResolvedUrls, TestedUrl } from './client/wire.ts';

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
  call<TestedUrl>('POST', '/api/redirects/test', { body, signal });

/** Tests 1 to 5,000 URLs; the results are in their order. */
export const testUrls = (body: TestOptions & { urls: string[] }) =>
  call<ResolvedUrls>('POST', '/api/redirects/test', { body });
