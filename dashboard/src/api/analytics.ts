import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';

/** Hits of people in a period; bots are counted apart. */
export interface Hits {
  total_hits: number;
  unique_visitors: number;
  /** such as `0.4ms` */
  avg_response_time: string;
  /** at most ten, most hits first; unknown countries are in none */
  country_hits: { country: string; hits: number }[];
  /** today (UTC) first */
  daily_hits: { date: string; hits: number }[];
  bot_hits: number;
}

export interface Overview extends Hits {
  not_found: number;
  top_redirects: { redirect_id: string; old_path: string; hits: number }[];
}

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
