import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { Flattened, HealthPage } from './wire.ts';

export const fetchHealth = (
  websiteId: number,
  query: { environment: Environment; cursor?: string | undefined },
  signal?: AbortSignal,
) => call<HealthPage>('GET', `/api/websites/${websiteId}/health`, { query: { ...query }, signal });

/** `dry_run`: returns the result without changing anything. */
export const flattenChains = (
  websiteId: number,
  body: { environment: Environment; dry_run: boolean },
  signal?: AbortSignal,
) => call<Flattened>('POST', `/api/websites/${websiteId}/health/flatten`, { body, signal });
