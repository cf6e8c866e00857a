/** The service in one process. */
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log/log.ts';
import { createRedirectServer } from '../start/redirect-server.ts';
import { serveSnapshots, stopRedirects } from '../start/serve-redirects.ts';
import type { Lifecycle } from './lifecycle.ts';
import { loadInSteps, serveFrom } from './serve.ts';

export interface RunOptions {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
}

export async function run(options: RunOptions): Promise<void> {
  const { config, lifecycle, log } = options;
  const serving = { config, clock: systemClock, log };
  const redirects = createRedirectServer(serving);
  lifecycle.stopServingWith(() => stopRedirects(redirects, serving));
  const isServing = await serveSnapshots(redirects, serving);
  if (isServing) await loadInSteps();

  const [{ prepareDatabase, startEmbedded }, { untilAvailable }, output] = await Promise.all([
    import('./database.ts'),
    import('./retry.ts'),
    import('../bootstrap/first-start-output.ts'),
  ]);
  const waiting = { log, mayWait: () => isServing, isStopping: lifecycle.isStopping };
  const url = config.databaseUrl ?? (await startEmbedded(config, lifecycle, log));
  let credentials: Awaited<ReturnType<typeof prepareDatabase>>;
  let isDemoPrinted = false;
  redirects.state.isFirstStart = () => credentials !== undefined && !isDemoPrinted;
  const detour = await serveFrom({
    ...options,
    redirects,
    isServing,
    databaseUrl: url,
    waiting,
    async prepare() {
      credentials ??= await untilAvailable(() => prepareDatabase(url, config, log), waiting);
      if (credentials) output.printCredentials(credentials, config);
    },
  });
  const { isStopping } = lifecycle;
  if (credentials && (await output.waitForDemo(detour.db, credentials, { log, isStopping })))
    output.printDemoCommand(credentials, config);
  isDemoPrinted = true;
  console.log(`Detour is ready: ${config.publicUrl}`);
}
