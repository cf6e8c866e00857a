import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../platform/config/config.ts';
import { makeDataDir } from '../platform/config/data-dir.ts';
import { isErrorCode } from '../platform/log/error-summary.ts';

/**
 * Checks the settings that only this machine can confirm, before a start changes anything: HOST, the right to open
 * PORT, DATA_DIR and GEOIP_DB. Throws the first problem. A port in use is reported when the port is opened, because the
 * process that this one replaces may still be stopping.
 */
export async function checkSettings(config: Config): Promise<void> {
  if (config.databaseUrl === null || config.snapshots) makeDataDir(config.dataDir);
  if (config.geoipDb !== null) {
    const { openCountries } = await import('../hits/count/country.ts');
    await openCountries(config.geoipDb);
  }
  await checkListening(config);
}

async function checkListening({ host, port }: Config): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (!isErrorCode(error, 'EADDRINUSE')) throw error;
  }
  await new Promise((resolve) => server.close(resolve));
}
