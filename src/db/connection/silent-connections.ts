/**
 * Closes connections on which the database no longer responds: its server is frozen, or the network drops packets. TCP
 * alone notices after 15 minutes. A slow query is not silent: the server reports that it works on it, and does not wait
 * for its client.
 */
import type { Socket } from 'node:net';
import { finished, Readable, Writable } from 'node:stream';
import { type Client, DatabaseError } from 'pg';
import { withSibling } from './hosts.ts';

const CHECK_AFTER_MS = 4_000;
/** Sooner, because a COPY waits for the server only at times. */
const CHECK_COPY_AFTER_MS = 2_000;
const CHECK_TIMEOUT_MS = 4_000;

/**
 * Watches every query of the connection that returns a promise, takes a callback or is a COPY stream, and closes the
 * connection if the query will not get a response, or runs for longer than `maxQueryMs`. Its queries then reject. Does
 * not close the connection of a stream that a slow reader or writer delays.
 */
export function closeWhenSilent(client: Client, url: string, options: SilenceOptions = {}): void {
  client.query = new Proxy(client.query, {
    apply(query, self, args: unknown[]) {
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        const end = watch(client, { url, ...options });
        const onResult = (...results: unknown[]): void => {
          end();
          Reflect.apply(callback, undefined, results);
        };
        return Reflect.apply(query, self, [...args.slice(0, -1), onResult]) as unknown;
      }
      const result: unknown = Reflect.apply(query, self, args);
      if (result instanceof Promise) {
        const end = watch(client, { url, ...options });
        result.then(end, end);
      } else if (result instanceof Readable || result instanceof Writable) {
        finished(result, watch(client, { url, isPooled: options.isPooled, copy: result }));
      }
      return result;
    },
  });
}

interface SilenceOptions {
  maxQueryMs?: number | undefined;
  /** by a pooler, which has no process id of the session that works for the client: no session is ended */
  isPooled?: boolean | undefined;
}

interface Watched extends SilenceOptions {
  url: string;
  copy?: Readable | Writable;
}

/** Returns a function to call when the query has ended. */
function watch(client: Client, { url, maxQueryMs = Infinity, isPooled, copy }: Watched): () => void {
  const startedAt = performance.now();
  let isDone = false;
  let bytes = bytesMoved(client, copy);
  const isOver = (): boolean => performance.now() - startedAt >= maxQueryMs;
  const checkAfterMs = copy ? CHECK_COPY_AFTER_MS : CHECK_AFTER_MS;
  const check = (): void => void closeIfSilent();
  let timer = setTimeout(check, Math.min(checkAfterMs, maxQueryMs));

  /** True if the query waits for the server, and no bytes have moved since the last call. */
  function isStuck(): boolean {
    const before = bytes;
    bytes = bytesMoved(client, copy);
    return bytes === before && waitsForServer(client, copy);
  }

  async function closeIfSilent(): Promise<void> {
    // Asked again after the server's state is known, because the response may have arrived meanwhile.
    const state = isStuck() || isOver() ? await backendState(client, url, isPooled) : 'working';
    if (isDone) return;
    if (!isOver() && (state === 'working' || !isStuck())) {
      timer = setTimeout(check, checkAfterMs);
      return;
    }
    // With a query in progress this destroys the socket.
    client.end().catch(() => {});
    // The server does not notice: the session would keep its locks and its transaction.
    if (state === 'waiting') await terminate(client, url).catch(() => {});
  }

  return () => {
    isDone = true;
    clearTimeout(timer);
  };
}

/** The driver replaces the socket when it starts TLS. */
function socketOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Bytes that have arrived, and those that a COPY has sent. */
function bytesMoved(client: Client, copy: Watched['copy']): number {
  const socket = socketOf(client);
  return socket.bytesRead + (copy instanceof Writable ? socket.bytesWritten - socket.writableLength : 0);
}

/** False while the reader or writer of a COPY delays it: the server may have sent, or taken, everything. */
function waitsForServer(client: Client, copy: Watched['copy']): boolean {
  const socket = socketOf(client);
  if (copy instanceof Readable) return copy.readableLength === 0 && socket.readableLength === 0;
  if (copy) return copy.writableLength > 0 || socket.writableLength > 0 || copy.writableEnded || copy.destroyed;
  return true;
}

/** The process id of the connection's backend, which PostgreSQL sends when it connects. */
export function backendOf(client: Client): number {
  return 'processID' in client ? Number(client.processID) : 0;
}

/**
 * `waiting`: for its client, to send a query or to take a response, or it does not exist. `silent`: the server does not
 * respond.
 */
type BackendState = 'working' | 'waiting' | 'silent';

async function backendState(client: Client, url: string, isPooled = false): Promise<BackendState> {
  try {
    const working = await readStatesOnce(client, url);
    return !isPooled && working?.has(backendOf(client)) === false ? 'waiting' : 'working';
  } catch (error) {
    // An error of the server, such as too many connections, is a response: the server works.
    return error instanceof DatabaseError ? 'working' : 'silent';
  }
}

/** Process ids of the backends that do not wait for their client; undefined if they are not those of the backends. */
type Working = Set<number> | undefined;

const inProgress = new Map<string, Promise<Working>>();

/** Reads the states, once for all queries that ask at the same time. Rejects if the server does not respond. */
function readStatesOnce(of: Client, url: string): Promise<Working> {
  const key = `${url} ${of.host}:${of.port}`;
  const reading = inProgress.get(key) ?? readStates(of, url).finally(() => inProgress.delete(key));
  inProgress.set(key, reading);
  return reading;
}

function readStates(of: Client, url: string): Promise<Working> {
  return withSibling(of, url, CHECK_TIMEOUT_MS, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and usename = current_user
       and wait_event_type is distinct from 'Client'`,
    );
    const working = new Set(rows.map(({ pid }) => pid));
    // A pooler (PgBouncer) gives other numbers, which say nothing.
    return working.has(backendOf(client)) ? working : undefined;
  });
}

function terminate(of: Client, url: string): Promise<unknown> {
  return withSibling(of, url, CHECK_TIMEOUT_MS, (client) =>
    client.query('select pg_terminate_backend($1)', [backendOf(of)]),
  );
}
