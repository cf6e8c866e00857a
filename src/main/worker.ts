/** A worker of the cluster: answers requests on the shared port. primary.ts starts it and provides the database. */
import type { Registry } from 'prom-client';
import { systemClock } from '../platform/clock.ts';
import { errorSummary } from '../platform/log/error-summary.ts';
import { channelTo, createPeer } from '../platform/process/ipc.ts';
import type { Detour } from '../start.ts';
import { createRedirectServer } from '../start/redirect-server.ts';
import { serveSnapshots, stopRedirects } from '../start/serve-redirects.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';
import { loadInSteps, serveFrom } from './serve.ts';
import type { RunOptions } from './single.ts';
import type { ProvidedDatabase } from './workers.ts';

export async function run(options: RunOptions): Promise<void> {
  const { config, lifecycle, log } = options;
  const database = Promise.withResolvers<DatabaseUrl>();
  let isFirstStart = false;
  let metrics: Registry | undefined;
  let detour: Detour | undefined;
  const primary = createPeer(channelTo(process), {
    database(provided: ProvidedDatabase) {
      ({ isFirstStart } = provided);
      database.resolve(provided.url);
    },
    resynchronise: () => detour?.resynchronise(),
    // The reply would arrive after the exit.
    stop: () => void lifecycle.stop().then(() => process.exit(0)),
    metrics: () => metrics?.getMetricsAsJSON() ?? [],
  });
  try {
    const serving = { config, clock: systemClock, log };
    const redirects = createRedirectServer(serving);
    redirects.state.isFirstStart = () => isFirstStart;
    lifecycle.stopServingWith(() => stopRedirects(redirects, serving));
    // A replacement leaves visitors to the other workers until it is current, because its snapshots may be older.
    const isReplacement = await primary.call<boolean>('isReplacement');
    const isServing = !isReplacement && (await serveSnapshots(redirects, serving));
    void primary.call('opened', isServing);
    if (isServing) await loadInSteps();
    const [{ checkDatabase }, { untilAvailable }] = await Promise.all([import('./database.ts'), import('./retry.ts')]);
    const waiting = {
      log,
      isStopping: lifecycle.isStopping,
      /** The primary would replace a worker that gives up, so it waits, with or without snapshots. */
      mayWait: () => serveSnapshots(redirects, serving).then(() => true),
    };
    const databaseUrl = await database.promise;
    detour = await serveFrom({
      ...options,
      redirects,
      isServing,
      databaseUrl,
      waiting,
      prepare: () => untilAvailable(() => checkDatabase(databaseUrl), waiting),
      counter: { count: (...counted) => primary.call('count', counted), close() {} },
      shareMetrics(own) {
        metrics = own;
        return () => primary.call('metrics');
      },
    });
    await primary.call('ready');
  } catch (error) {
    if (lifecycle.isStopping()) return;
    await primary.call('failed', errorSummary(error));
    await lifecycle.stop();
    process.exit(1);
  }
}
