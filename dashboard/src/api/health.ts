import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { flattenedBody } from '../../../src/surfaces/session-api/health-wire.ts';
import { call } from './client.ts';

export interface Loop {
  /** the first 20 */
  old_paths: string[];
  hops: number;
}

export interface Chain {
  redirect_id: number;
  old_path: string;
  /** 100 where there are more */
  hops: number;
  /** null where the chain ends in a circle, or has more hops than are followed */
  final_path: string | null;
  final_status: number | null;
}

export interface Shadowed {
  redirect_id: number;
  by_redirect_id: number;
}

export interface Duplicates {
  /** the first 20 */
  redirect_ids: number[];
  count: number;
}

/** A page of what is wrong with a website's redirects; the counts are of everything. */
export interface HealthPage {
  counts: { loops: number; chains: number; shadowed: number; duplicates: number };
  loops: Loop[];
  chains: Chain[];
  shadowed: Shadowed[];
  duplicates: Duplicates[];
  next_cursor: string | null;
}

export type Flattened = ReturnType<typeof flattenedBody>;

export const fetchHealth = (
  websiteId: number,
  query: { environment: Environment; cursor?: string | undefined },
  signal?: AbortSignal,
) => call<HealthPage>('GET', `/api/websites/${websiteId}/health`, { query: { ...query }, signal });

/** `dry_run`: says what it would do, and does nothing. */
export const flattenChains = (
  websiteId: number,
  body: { environment: Environment; dry_run: boolean },
  signal?: AbortSignal,
) => call<Flattened>('POST', `/api/websites/${websiteId}/health/flatten`, { body, signal });
