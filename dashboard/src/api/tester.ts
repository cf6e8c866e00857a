import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';

/** A live rule that matches an address. */
export interface TestedRule {
  redirect_id: number;
  old_path: string;
  is_regex: boolean;
  status_code: number;
  location: string | null;
  kind: string;
  outcome: string;
}

export interface Hop {
  url: string;
  redirect_id: number | null;
  status_code: number;
  location: string | null;
}

/** What the live rules do with an address, and why. */
export interface TestAnswer {
  environment: Environment;
  version: number;
  path: string;
  query: string | null;
  match: TestedRule | null;
  beaten: TestedRule[];
  status_code: number;
  location: string | null;
  hops: Hop[];
  outcome: string;
  final_url: string;
}

export const testAddress = (
  body: { website_id: number; environment: Environment; url: string },
  signal?: AbortSignal,
) => call<TestAnswer>('POST', '/api/redirects/test', { body, signal });
