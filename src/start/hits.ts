import type { Registry } from 'prom-client';
import { createHitRecorder } from '../hits/record/recorder.ts';
import { registerHitMetrics } from '../hits/record/hit-metrics.ts';
import { createWorkerAggregator } from '../hits/record/worker-client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { EarlyHits } from './early-hits.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

export interface HitOptions {
  /** may be unavailable: hits are then retained in memory */
  databaseUrl: DatabaseUrl;
  config: Pick<Config, 'geoipDb' | 'secretKey' | 'previousSecretKey'>;
  clock: Clock;
  early: EarlyHits;
  onError: (error: unknown) => void;
}

export type Hits = Awaited<ReturnType<typeof startHits>>;

/** Starts counting hits, with those that arrived before. Throws if the country database cannot be read. */
export async function startHits({ databaseUrl, config, clock, early, onError }: HitOptions) {
  const { geoipDb, secretKey, previousSecretKey } = config;
  const aggregator = await createWorkerAggregator({ databaseUrl, geoipDb, secretKey, previousSecretKey, onError });
  const hits = createHitRecorder({ aggregator, clock, onError });
  hits.start();
  const lost = early.passTo(hits);
  if (lost > 0) onError(new Error(`${lost} hits could not be counted before the database was known`));
  return {
    stop: (timeoutMs: number) => hits.stop(timeoutMs),
    registerMetrics: (metrics: Registry) => registerHitMetrics(metrics, hits),
  };
}
