import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

export interface KeptConnection {
  /** resolves when it is connected for the first time, or stopped before */
  ready: Promise<void>;
  stop(): Promise<void>;
}

export interface Keeping {
  /** After every connect, before anything else; `again` from the second time on. What it throws ends the connection. */
  onConnect(client: Client, again: boolean): Promise<void>;
  /** Every few seconds; shows that the other end is there. `select 1` where it is left out. */
  onAlive?: (client: Client) => Promise<unknown>;
  /** Hears why a connection was lost or not to be had; it is tried again. */
  onError(error: unknown): void;
}

const FIRST_BACKOFF_MS = 100;
/** Short: until it stands again, others count the instance as dead. */
const LONGEST_BACKOFF_MS = 500;
/** How long the other end may be silent before the connection counts as lost: a half-open one never says so itself. */
const ANSWER_WITHIN_MS = 5_000;
const ALIVE_EVERY_MS = 5_000;

/** Keeps one connection of its own to the database, for what a pool cannot hold: LISTEN and session locks. */
export function openPersistentConnection(url: string, keeping: Keeping): KeptConnection {
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = keepTrying(url, keeping, stopping.signal, ready.resolve);
  return {
    ready: ready.promise,
    async stop() {
      stopping.abort();
      await running;
      ready.resolve();
    },
  };
}

async function keepTrying(url: string, keeping: Keeping, stop: AbortSignal, onReady: () => void) {
  let backoffMs = FIRST_BACKOFF_MS;
  let again = false;
  while (!stop.aborted) {
    try {
      await holdOne(url, keeping, stop, again, () => {
        again = true;
        backoffMs = FIRST_BACKOFF_MS;
        onReady();
      });
    } catch (error) {
      if (!stop.aborted) keeping.onError(error);
    }
    await pauseUnless(stop, backoffMs);
    backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
  }
}

/** Connects and returns when it is stopped; throws when the connection is lost. */
async function holdOne(url: string, keeping: Keeping, stop: AbortSignal, again: boolean, onHeld: () => void) {
  const client = new Client({
    connectionString: url,
    application_name: 'detour',
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  const lost = new AbortController();
  let reason: unknown = new Error('the database closed the connection');
  client.on('error', (error) => {
    reason = error;
    lost.abort();
  });
  client.on('end', () => lost.abort());
  try {
    await client.connect();
    await keeping.onConnect(client, again);
    onHeld();
    const over = AbortSignal.any([stop, lost.signal]);
    while (!over.aborted) {
      await pauseUnless(over, ALIVE_EVERY_MS);
      if (!over.aborted) await (keeping.onAlive?.(client) ?? client.query('select 1'));
    }
    if (!stop.aborted) throw reason;
  } finally {
    // Not awaited where the other end is gone: it would never answer.
    const ended = client.end().catch(() => {});
    if (!lost.signal.aborted && stop.aborted) await ended;
  }
}

async function pauseUnless(stop: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal: stop }).catch(() => {});
}

export interface Listener {
  onNotify(channel: string, payload: string): void;
  /** LISTEN stands again after a loss: what was notified meanwhile is lost, so read anew. */
  onReconnect(): void;
  onError(error: unknown): void;
}

/**
 * Listens to the channels on a connection of its own, until stopped. A lost connection, also one that is merely silent, is
 * made again within 100 to 500 ms; `ready` resolves when LISTEN stands for the first time.
 */
export function listen(url: string, channels: string[], listener: Listener): KeptConnection {
  return openPersistentConnection(url, {
    async onConnect(client, again) {
      client.on('notification', ({ channel, payload }) => listener.onNotify(channel, payload ?? ''));
      for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (again) listener.onReconnect();
    },
    onError: listener.onError,
  });
}
