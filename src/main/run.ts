import cluster from 'node:cluster';
import { type Config, loadConfig, localUrl } from '../platform/config/config.ts';
import { keptSecretKey, openDataDirWarning } from '../platform/config/data-dir.ts';
import { createLog } from '../platform/log/log.ts';
import { checkSettings } from './check-settings.ts';
import { createLifecycle } from './lifecycle.ts';

const { isWorker, worker } = cluster;
const log = createLog({ process: isWorker ? `worker ${worker?.id}` : undefined });
const lifecycle = createLifecycle(log);

// Each way of running loads its own modules, and none that it does not need.
await lifecycle.run(async () => {
  const config = await completeConfig(loadConfig());
  const warning = isWorker ? undefined : openDataDirWarning(config.dataDir);
  if (warning) log.warn(warning);
  if (!isWorker) await checkSettings(config);
  if (!isWorker && !config.webhookSending) log.warn('WEBHOOK_SENDING=off: no webhook is sent, deliveries stay pending');
  const { run } = isWorker
    ? await import('./worker.ts')
    : config.processes > 1
      ? await import('./primary.ts')
      : await import('./single.ts');
  await run({ config, lifecycle, log });
});

/** Fills in what the configuration leaves open: a free port for 0, and the secret key in the data folder. */
async function completeConfig(config: Config): Promise<Config> {
  const port =
    config.port || (await import('../platform/postgres/server.ts').then(({ freePort }) => freePort(config.host)));
  const publicUrl = config.publicUrl === localUrl(0) ? localUrl(port) : config.publicUrl;
  const needsKey = config.role !== 'edge';
  return {
    ...config,
    port,
    publicUrl,
    secretKey: config.secretKey ?? (needsKey ? keptSecretKey(config.dataDir) : null),
  };
}
