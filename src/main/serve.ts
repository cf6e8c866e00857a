import type { Registry } from 'prom-client';
import type { RequestCounter } from '../http/shares/rate-limit-counter.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log/log.ts';
import type { Detour } from '../start.ts';
import type { RedirectServer } from '../start/redirect-server.ts';
import { startHits } from '../start/serve-redirects.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type RetryOptions, untilAvailable } from './retry.ts';
import { setTimeout as pause } from 'node:timers/promises';

export interface ServeOptions {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  redirects: RedirectServer;
  databaseUrl: string;
  /** whether `redirects` answers from snapshots */
  isServing: boolean;
  /** Migrates the database, or waits until another process has. */
  prepare: () => Promise<void>;
  waiting: RetryOptions;
  /** shared with the other processes of this machine */
  counter?: RequestCounter;
  shareMetrics?: (own: Registry) => () => Promise<string>;
}

/** Adds everything that needs the database to a redirect server. Starts over if the connection is lost meanwhile. */
export async function serveFrom({ lifecycle, isServing, waiting, ...rest }: ServeOptions): Promise<Detour> {
  const options = { ...rest, clock: systemClock };
  if (isServing) {
    // Redirects that are answered while the database is away. An error is thrown by startDetour.
    startHits(options.redirects, options, options.databaseUrl).catch(() => {});
  }
  const { startDetour } = await import('../start.ts');
  const start = (): Promise<Detour> => startDetour(options);
  const detour = await untilAvailable(start, waiting);
  lifecycle.stopServingWith(() => detour.stop());
  return detour;
}

/** Between two groups of modules, for requests that have arrived meanwhile. */
const PAUSE_MS = 25;

/** Groups of modules of the API, the most basic first. Each takes up to a few hundred milliseconds of CPU time. */
const STEPS: (() => Promise<unknown>)[] = [
  () => import('pg'),
  () => import('../db/drizzle.ts'),
  () => import('../db/connection/client.ts'),
  () => import('../db/schema/redirects.ts'),
  () => import('../db/schema/deployments.ts'),
  () => import('prom-client'),
  () => import('fastify'),
  () => import('undici'),
  () => import('../bootstrap/bootstrap.ts'),
  () => import('../start.ts'),
  () => import('../app.ts'),
];

/** Loads the modules of the API while the process answers redirects, which wait for one group at a time. */
export async function loadInSteps(): Promise<void> {
  for (const load of STEPS) {
    await pause(PAUSE_MS);
    await load();
  }
}
