import type { z } from 'zod';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { flattenedBody, HealthBody } from '../../../src/surfaces/session-api/health-wire.ts';
import { call } from './client.ts';

/** A page of what is wrong with a website's redirects; the counts are of everything. */
export type HealthPage = z.input<typeof HealthBody>;

export type Loop = HealthPage['loops'][number];
export type Chain = HealthPage['chains'][number];
export type Shadowed = HealthPage['shadowed'][number];
export type Duplicates = HealthPage['duplicates'][number];

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
