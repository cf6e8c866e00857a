import type { Registry } from 'prom-client';
import type { RequestCounter } from '../http/rate-limit-counter.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import type { Detour } from '../start.ts';
import type { Front } from '../start/front.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type RetryOptions, untilAvailable } from './retry.ts';

export interface ServeOptions {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  front: Front;
  databaseUrl: string;
  /** whether the front answers redirects from snapshots */
  isServing: boolean;
  /** Migrates the database, or waits until another process has. */
  prepare: () => Promise<void>;
  waiting: RetryOptions;
  /** shared with the other processes of this machine */
  counter?: RequestCounter;
  shareMetrics?: (own: Registry) => () => Promise<string>;
}

/** Adds everything that needs the database to a front. Starts over if the connection is lost meanwhile. */
export async function serveFrom({ lifecycle, front, isServing, waiting, ...options }: ServeOptions): Promise<Detour> {
  if (isServing) {
    // Redirects that are answered while the database is away. An error is thrown by startDetour.
    front.startHits(options.databaseUrl).catch(() => {});
  }
  const { startDetour } = await import('../start.ts');
  const start = (): Promise<Detour> => startDetour({ ...options, front, clock: systemClock });
  const detour = await untilAvailable(start, waiting);
  lifecycle.stopServingWith(() => detour.stop());
  return detour;
}
