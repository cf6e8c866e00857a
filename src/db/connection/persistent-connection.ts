import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { isReadOnlyError } from '../errors.ts';
import { driverOptions } from './hosts.ts';
import { type DatabaseUrl, sessionUrlOf } from '../../vocabulary/database-url.ts';
import { createBackoff } from '../../vocabulary/backoff.ts';
import { sessionSetup } from './session.ts';
import { closeWhenSilent } from './silent-connections.ts';

export interface ConnectionHandlers {
  /** Runs first on every connection; `again` is true from the second one. If it throws, the connection is closed. */
  onConnect(client: Client, again: boolean): Promise<void>;
  /** Runs every few seconds to check the connection. Default: `select 1`. */
  onAlive?: (client: Client) => Promise<unknown>;
  /** Receives the reason of a lost or failed connection. It reconnects. */
  onError(error: unknown): void;
}

const FIRST_BACKOFF_MS = 100;
/** Short, because the instance counts as crashed while it is disconnected. */
const MAX_BACKOFF_MS = 500;
/** A connection that is silent for longer counts as lost. A half-open one never reports it. */
const RESPONSE_TIMEOUT_MS = 5_000;
const ALIVE_EVERY_MS = 5_000;
/** between two reports that the server is a standby */
const STANDBY_LOG_MS = 60_000;

/**
 * Opens a separate connection that reconnects automatically, for LISTEN and session locks, which a pool cannot hold.
 */
export function openPersistentConnection(url: DatabaseUrl, handlers: ConnectionHandlers) {
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = reconnectUntil(sessionUrlOf(url), handlers, stopping.signal, ready.resolve);
  return {
    /** resolves after the first connect, or if stopped before */
    ready: ready.promise,
    async stop() {
      stopping.abort();
      await running;
      ready.resolve();
    },
  };
}

async function reconnectUntil(url: string, handlers: ConnectionHandlers, stop: AbortSignal, onReady: () => void) {
  const backoff = createBackoff(FIRST_BACKOFF_MS, MAX_BACKOFF_MS);
  let again = false;
  let standbyAt = -Infinity;
  while (!stop.aborted) {
    try {
      await holdOne(url, handlers, stop, again, () => {
        again = true;
        backoff.reset();
        onReady();
      });
    } catch (error) {
      // A standby may stay one for long: LISTEN fails at each try.
      const isRepeated = isReadOnlyError(error) && performance.now() - standbyAt < STANDBY_LOG_MS;
      if (isReadOnlyError(error) && !isRepeated) standbyAt = performance.now();
      if (!stop.aborted && !isRepeated) handlers.onError(error);
    }
    await pauseUnless(stop, backoff.next());
  }
}

/** Connects, and returns when stopped. Throws if the connection is lost. */
async function holdOne(
  url: string,
  handlers: ConnectionHandlers,
  stop: AbortSignal,
  again: boolean,
  onHeld: () => void,
) {
  const { connectionString, Client: HostClient } = driverOptions(url, sessionSetup());
  const client = new HostClient({
    connectionString,
    application_name: 'detour',
    keepAlive: true,
    connectionTimeoutMillis: RESPONSE_TIMEOUT_MS,
    query_timeout: RESPONSE_TIMEOUT_MS,
  });
  closeWhenSilent(client, url);
  const lost = new AbortController();
  let reason: unknown = new Error('the database closed the connection');
  client.on('error', (error) => {
    reason = error;
    lost.abort();
  });
  client.on('end', () => lost.abort());
  try {
    await client.connect();
    await handlers.onConnect(client, again);
    onHeld();
    const over = AbortSignal.any([stop, lost.signal]);
    while (!over.aborted) {
      await pauseUnless(over, ALIVE_EVERY_MS);
      if (over.aborted) break;
      await (handlers.onAlive?.(client) ?? client.query('select 1'));
      await client.checkHost();
    }
    if (!stop.aborted) throw reason;
  } finally {
    // Do not await it if the server is gone: it never responds.
    const ended = client.end().catch(() => {});
    if (!lost.signal.aborted && stop.aborted) await ended;
  }
}

async function pauseUnless(stop: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal: stop }).catch(() => {});
}

export interface Listener {
  onNotify(channel: string, payload: string): void;
  /** LISTEN works again after a lost connection. Notifications were lost, so read everything again. */
  onReconnect(): void;
  onError(error: unknown): void;
}

/**
 * Listens to the channels on a separate connection until stopped. Reconnects a lost or silent connection within 100 to
 * 500 ms. `ready` resolves after the first LISTEN.
 */
export function listen(url: DatabaseUrl, channels: string[], listener: Listener) {
  return openPersistentConnection(url, {
    async onConnect(client, again) {
      client.on('notification', ({ channel, payload }) => listener.onNotify(channel, payload ?? ''));
      for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (again) listener.onReconnect();
    },
    onError: listener.onError,
  });
}
