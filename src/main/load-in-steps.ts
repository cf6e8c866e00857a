import { setTimeout as pause } from 'node:timers/promises';

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
