import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../platform/clock.ts';
import type { Detour, DetourOptions } from '../start.ts';
import type { RedirectServer } from '../start/redirect-server.ts';
import { startHits } from '../start/serve-redirects.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type RetryOptions, untilAvailable } from './retry.ts';

interface ServeOptions extends Omit<DetourOptions, 'clock'> {
  lifecycle: Lifecycle;
  redirects: RedirectServer;
  /** whether `redirects` answers from snapshots */
  isServing: boolean;
  waiting: RetryOptions;
}

/** Adds everything that needs the database to a redirect server. Starts over if the connection is lost meanwhile. */
export async function serveFrom({ lifecycle, isServing, waiting, ...rest }: ServeOptions): Promise<Detour> {
  const options = { ...rest, clock: systemClock };
  // Counts redirects that are answered while the database is away. An error is thrown by startDetour.
  if (isServing) startHits(options.redirects, options, options.databaseUrl).catch(() => {});
  const { startDetour } = await import('../start.ts');
  const detour = await untilAvailable(() => startDetour(options), waiting);
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
