/**
 * Closes pooled connections on which the database no longer responds: its server is frozen, or the network drops packets.
 * TCP alone notices after 15 minutes. A slow query is not silent: the server reports that it works on it.
 */
import { Client, DatabaseError, type PoolClient } from 'pg';

/** Without a response for longer, a query is checked. */
const CHECK_AFTER_MS = 4_000;
const CHECK_TIMEOUT_MS = 4_000;

/**
 * Watches every query of the connection that returns a promise or takes a callback, and closes the connection if the
 * query will not get a response, or runs for longer than `maxQueryMs`. Its queries then reject. Streams (COPY) are not
 * watched, because a slow reader delays them.
 */
export function closeWhenSilent(client: PoolClient, url: string, maxQueryMs = Infinity): void {
  client.query = new Proxy(client.query, {
    apply(query, self, args: unknown[]) {
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        const end = watch(client, url, maxQueryMs);
        const onResult = (...results: unknown[]): void => {
          end();
          Reflect.apply(callback, undefined, results);
        };
        return Reflect.apply(query, self, [...args.slice(0, -1), onResult]) as unknown;
      }
      const result: unknown = Reflect.apply(query, self, args);
      if (result instanceof Promise) {
        const end = watch(client, url, maxQueryMs);
        result.then(end, end);
      }
      return result;
    },
  });
}

/** Returns a function to call when the query has ended. */
function watch(client: PoolClient, url: string, maxQueryMs: number): () => void {
  const startedAt = performance.now();
  let isDone = false;
  let timer = setTimeout(check, Math.min(CHECK_AFTER_MS, maxQueryMs));

  function check(): void {
    void closeIfSilent();
  }

  async function closeIfSilent(): Promise<void> {
    const pid = backendOf(client);
    const state = await backendState(url, pid);
    if (isDone) return;
    const isOver = performance.now() - startedAt >= maxQueryMs;
    if (state === 'working' && !isOver) {
      timer = setTimeout(check, CHECK_AFTER_MS);
      return;
    }
    // With a query in progress this destroys the socket.
    client.end().catch(() => {});
    // The server does not notice: the session would keep its locks and its transaction.
    if (state === 'waiting') await terminate(url, pid).catch(() => {});
  }

  return () => {
    isDone = true;
    clearTimeout(timer);
  };
}

/** The process id of the connection's backend, which PostgreSQL sends when it connects. */
function backendOf(client: Client): number {
  return 'processID' in client ? Number(client.processID) : 0;
}

/** `waiting`: for its client, so it never got the query or its response was lost. `silent`: the server does not respond. */
type BackendState = 'working' | 'waiting' | 'silent';

async function backendState(url: string, pid: number): Promise<BackendState> {
  const states = await readStatesOnce(url).catch((error: unknown) => {
    // An error of the server, such as too many connections, is a response: the server works.
    if (error instanceof DatabaseError) return { areKnown: false, byPid: new Map<number, string>() };
    return undefined;
  });
  if (!states) return 'silent';
  // A pooler (PgBouncer) gives other numbers, which say nothing.
  if (!states.areKnown) return 'working';
  return WORKING.has(states.byPid.get(pid) ?? 'gone') ? 'working' : 'waiting';
}

/** States of a backend (pg_stat_activity) that has a query, or that the server does not report. */
const WORKING = new Set(['active', 'fastpath function call', 'disabled']);

interface BackendStates {
  /** whether process ids are those of the backends */
  areKnown: boolean;
  byPid: Map<number, string>;
}

const inProgress = new Map<string, Promise<BackendStates>>();

/** Reads the states, once for all queries that ask at the same time. Rejects if the server does not respond. */
function readStatesOnce(url: string): Promise<BackendStates> {
  const reading = inProgress.get(url) ?? readStates(url).finally(() => inProgress.delete(url));
  inProgress.set(url, reading);
  return reading;
}

function readStates(url: string): Promise<BackendStates> {
  return withNewConnection(url, async (client) => {
    const { rows } = await client.query<{ pid: number; state: string | null }>(
      'select pid, state from pg_stat_activity where datname = current_database() and usename = current_user',
    );
    const byPid = new Map(rows.map(({ pid, state }) => [pid, state ?? 'disabled']));
    return { areKnown: byPid.has(backendOf(client)), byPid };
  });
}

async function terminate(url: string, pid: number): Promise<void> {
  await withNewConnection(url, (client) => client.query('select pg_terminate_backend($1)', [pid]));
}

async function withNewConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'detour',
    connectionTimeoutMillis: CHECK_TIMEOUT_MS,
    query_timeout: CHECK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}
