import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { Hits, Overview } from './wire.ts';

export interface HitQuery {
  environment: Environment;
  /** `1d` to `365d` */
  period: string;
}

export const fetchOverview = (websiteId: number, query: HitQuery, signal?: AbortSignal) =>
  call<Overview>('GET', '/api/v1/analytics/overview', {
    query: { website_id: websiteId, ...query },
    signal,
  });

export const fetchRedirectHits = (redirectId: string, query: HitQuery, signal?: AbortSignal) =>
  call<Hits>('GET', `/api/v1/analytics/redirects/${encodeURIComponent(redirectId)}`, {
    query: { ...query },
    signal,
  });
