/** One website's live version as the configuration of one server: a single run, and a run that follows new versions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../vocabulary/backoff.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { CommandError, isTransient } from '../errors.ts';
import { type Omitted, downloadTo } from './download.ts';
import { probeServer, type ProbedServer } from './probe.ts';
import { type FeedHead, readFeedHead } from './feed-head.ts';
import { type Installer, install, recover, remember } from './install.ts';
import type { Installed } from './state.ts';
import { digestOf } from './target-file.ts';

/** The service holds a request this long if there is no newer version. */
const WAIT_SECONDS = 50;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

/** Servers by the names of their export formats. */
export const SERVERS = { nginx: 'nginx', apache: 'Apache', caddy: 'Caddy' } as const;

export type Server = keyof typeof SERVERS;

export interface ServerSync {
  client: Client;
  websiteId: string;
  environment: Environment;
  /** the format of the export, and the kind of the agent */
  server: Server;
  agent: string;
  strict: boolean;
  installer: Installer;
  /** where the server answers; undefined: it is not asked */
  probed: ProbedServer | undefined;
  signal: AbortSignal;
}

export interface SyncedVersion {
  version: number;
  changed: boolean;
  /** exact; 0 if nothing changed */
  omittedCount: number;
  omitted: Omitted[];
}

/**
 * Installs the live version unless the file in place already is it. Throws a CommandError; the server then runs with the
 * configuration that it had.
 */
export async function syncOnce(sync: ServerSync): Promise<SyncedVersion> {
  const result = await follow(sync, undefined);
  // Otherwise the service would learn what the server runs with only at the next run.
  if (result.changed) await readHead(sync, result.head, 0).catch(() => null);
  return result;
}

/** Receives what happens while a website is followed. */
export interface WatchReport {
  synced(result: SyncedVersion): void;
  /** a problem; following goes on */
  problem(error: CommandError): void;
}

/**
 * Installs each new version until the signal. Before the first response of the service, only an unreachable or busy
 * service is waited for. Later, each problem is reported, and the server keeps its configuration.
 */
export async function watch(sync: ServerSync, report: WatchReport): Promise<void> {
  /** the newest version that was seen: one that the server refused is tried again only after a wait without a newer one */
  let seen: FeedHead | undefined;
  let hasFollowed = false;
  const backoff = createBackoff(MIN_PAUSE_MS, MAX_PAUSE_MS);
  let problem = '';
  const saw = (head: FeedHead): void => {
    if (head.version !== seen?.version) backoff.reset();
    [seen, hasFollowed] = [head, true];
  };
  while (!sync.signal.aborted) {
    try {
      await recover(sync.installer);
      const startedAt = performance.now();
      const isWaiting = seen !== undefined;
      const result = await follow(sync, seen, saw);
      if (result.changed) report.synced(result);
      problem = '';
      // A service that does not wait must not be asked without a pause.
      const isEarly = isWaiting && !result.changed && performance.now() - startedAt < MIN_PAUSE_MS;
      if (isEarly) await sleep(MIN_PAUSE_MS, undefined, { signal: sync.signal }).catch(() => undefined);
    } catch (error) {
      if (sync.signal.aborted) return;
      if (!(error instanceof CommandError) || (!hasFollowed && !isTransient(error))) throw error;
      if (error.message !== problem) report.problem(error);
      problem = error.message;
      if (isTransient(error)) seen = undefined;
      await sleep(backoff.next(), undefined, { signal: sync.signal }).catch(() => undefined);
    }
  }
}

/** Installs the live version, if the server runs with another one. Waits for a newer one than `seen`, if given. */
async function follow(
  sync: ServerSync,
  seen: FeedHead | undefined,
  saw: (head: FeedHead) => void = () => {},
): Promise<SyncedVersion & { head: FeedHead }> {
  const current = await inPlace(sync.installer);
  const head = await readHead(sync, seen ?? current, seen ? WAIT_SECONDS : 0);
  saw(head);
  const unchanged = { version: head.version, head, changed: false, omittedCount: 0, omitted: [] };
  if (current && current.version === head.version && current.options === head.options) return unchanged;
  const { installer, environment, websiteId, server, strict, signal } = sync;
  const wanted = { websiteId, environment, format: server, version: head.version, strict, signal };
  const found = await downloadTo(installer.file.draft, sync.client, { ...wanted, etag: current?.etag });
  if (!found && current) {
    await remember(installer, { ...current, ...head });
    return unchanged;
  }
  if (!found) throw new CommandError(`${sync.client.url} responded with 304 without a reason: check the URL`);
  const { samples, etag, sha256 } = found;
  const probe = (): Promise<string | undefined> => probeServer(sync, head.version, samples);
  const changed = await install(installer, { ...head, etag, sha256 }, probe);
  return { ...unchanged, changed, omittedCount: found.omittedCount, omitted: found.omitted };
}

async function readHead(sync: ServerSync, since: FeedHead | undefined, waitSeconds: number): Promise<FeedHead> {
  const { client, websiteId, environment, agent, server, signal } = sync;
  const follower = { websiteId, environment, agent, kind: server };
  const serving = sync.installer.state.installed?.version;
  const head = await readFeedHead(client, follower, {
    waitSeconds,
    signal,
    ...(serving !== undefined && { serving }),
    ...(since && { since }),
  });
  if (!head && !since) throw new CommandError(`${client.url} responded with 304 without a reason: check the URL`);
  return head ?? since ?? { version: 0, options: '' };
}

/** The installed configuration, if the file still has its content. */
async function inPlace({ state, file }: Installer): Promise<Installed | undefined> {
  const { installed } = state;
  if (!installed) return undefined;
  return (await digestOf(file.path)) === installed.sha256 ? installed : undefined;
}
