import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client/client.ts';
import { type Changed, redirectWrites } from './redirects.ts';
import type { Flattened, HealthPage } from './client/wire.ts';

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
