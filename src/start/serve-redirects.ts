/** The phases of a redirect server: snapshots, port, hits, and the stop of all three. Each runs once. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { loadSnapshots, type LoadedSnapshots } from '../deployments/live/snapshots/read-snapshots.ts';
import * as listener from '../http/server/listener.ts';
import { logError } from '../http/errors/log-error.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { lastHitsMs } from '../platform/process/stop-times.ts';
import type { Hits } from './hits.ts';
import type { RedirectServer, RedirectServerOptions } from './redirect-server.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

/** The folder of snapshots. Processes of one machine with the same part of the websites share it. */
export function snapshotFolder({ dataDir, edgePart }: Pick<Config, 'dataDir' | 'edgePart'>): string {
  if (!edgePart) return join(dataDir, 'rulesets');
  const ids = edgePart.ids.toSorted((a, b) => a - b).join();
  const digest = createHash('sha256').update(ids).digest('hex').slice(0, 16);
  return join(dataDir, `rulesets-${edgePart.of}-${digest}`);
}

/** Reads the snapshots, unless they are off. Returns what the registry has from them. */
export function readSnapshots(
  { registry, state }: RedirectServer,
  { config, log }: RedirectServerOptions,
): Promise<LoadedSnapshots> {
  if (!config.snapshots) return Promise.resolve({ databaseId: undefined, versions: [] });
  return (state.snapshots ??= loadSnapshots(snapshotFolder(config), registry, (err) =>
    log.warn({ err }, 'a snapshot cannot be used'),
  ));
}

/** Reads the snapshots. Opens the port if redirects can be answered from them, and returns whether. */
export async function serveSnapshots(redirects: RedirectServer, options: RedirectServerOptions): Promise<boolean> {
  const { versions } = await readSnapshots(redirects, options);
  const canServe = versions.length > 0 && options.config.role !== 'api';
  if (canServe) await openPort(redirects, options.config);
  return canServe;
}

/** Opens the port and returns the address. Throws if the port is taken. */
export function openPort({ server, state }: RedirectServer, config: Config): Promise<string> {
  return (state.address ??= listener.openPort(server, config));
}

/** Closes the port and drains requests for up to 8 s. */
export function closePort({ server, state }: RedirectServer): Promise<void> {
  state.isStopping = true;
  return (state.closed ??= listener.closePort(server));
}

/** Counts redirects, those answered so far included. */
export function startHits(
  { state }: RedirectServer,
  { config, clock, log }: RedirectServerOptions,
  databaseUrl: DatabaseUrl,
): Promise<Hits> {
  const onError = (error: unknown): void => logError(log, error, 'background work failed; it will retry');
  return (state.hits ??= import('./hits.ts').then((hits) =>
    hits.startHits({ databaseUrl, config, clock, early: state.early, onError }),
  ));
}

/** Writes the last hits, within `timeoutMs`. To be called after `closePort`. */
export async function stopHits({ state }: RedirectServer, timeoutMs: number): Promise<void> {
  await (await state.hits)?.stop(timeoutMs);
}

/** Stops a server without the rest of the process. Writes the hits, also if they have no recorder yet. */
export async function stopRedirects(redirects: RedirectServer, options: RedirectServerOptions): Promise<void> {
  const { early } = redirects.state;
  const { databaseUrl } = options.config;
  const began = stopwatch();
  await closePort(redirects);
  if (early.retained() > 0 && databaseUrl !== null) await startHits(redirects, options, databaseUrl);
  if (early.retained() > 0) {
    const lost = new Error(`${early.retained()} hits were lost: the database had not started`);
    logError(options.log, lost, 'background work failed; it will retry');
  }
  await stopHits(redirects, lastHitsMs(stopwatch() - began, 'earlyHits'));
}
