/** Several hosts in a URL: each connection goes to the first of the wanted role, and so follows a failover. */
import type { EventEmitter } from 'node:events';
import { Client, type Pool, type PoolClient } from 'pg';
import { type DatabaseHost, type DatabaseTarget, parseDatabaseUrl } from '../../vocabulary/database-url.ts';
import { isConnectionError, isReadOnlyError } from '../errors.ts';

const PROBE_TIMEOUT_MS = 2_000;
/** Shorter than a failover, so that the first connection after one does not fail. After a failure the choice ends. */
const CHOICE_MS = 1_000;

interface Connected {
  connection: EventEmitter;
}

/** Parses a URL, which platform/config/config.ts has checked. */
function targetOf(url: string): DatabaseTarget {
  const target = parseDatabaseUrl(url);
  if (typeof target === 'string') throw new Error(`DATABASE_URL ${target}`);
  return target;
}

/** Each connection of driverOptions. */
export interface HostClient {
  /** Throws if the server no longer has the role that the URL wants. The hosts are then probed again. */
  checkHost(): Promise<void>;
}

/**
 * Returns options of the driver for the URL: the class of its connections, which execute `setup` first, and what it
 * reads of the URL itself.
 */
export function driverOptions(url: string, setup: string) {
  const target = targetOf(url);
  const choose = target.hosts.length > 1 || target.role !== 'any' ? chooserOf(url, target) : undefined;
  class ChosenClient extends Client implements HostClient {
    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<this> | void {
      const connected = this.#connectAndSetUp();
      if (!callback) return connected;
      connected.then(
        () => callback(null),
        (error: Error) => callback(error),
      );
    }

    async #connectAndSetUp(): Promise<this> {
      // An error of a connection in use rejects its query too. Without a listener it would end the process.
      this.on('error', () => {});
      this.on('notice', ({ routine }) => {
        if (routine === 'SyncRepWaitForLSN') (this as unknown as Connected).connection.emit('error', notReplicated());
      });
      if (choose) Object.assign(this, await choose.host());
      try {
        await super.connect();
        await this.checkHost();
        await this.query(setup);
        return this;
      } catch (error) {
        choose?.forget();
        this.end().catch(() => {});
        throw error;
      }
    }

    async checkHost(): Promise<void> {
      const other = await otherRole(target, this);
      if (!other) return;
      choose?.forget();
      throw noHost(target, [`${this.host}:${this.port} is a ${other}`]);
    }
  }
  return { connectionString: target.connectionString, Client: ChosenClient };
}

/**
 * Makes the pool close all its idle connections when a connection is released with the error of a standby, and probe the
 * hosts again: the server became one without ending its connections.
 */
export function leaveStandby(pool: Pool, url: string): void {
  if (targetOf(url).role !== 'primary') return;
  const idle = new Set<PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error: unknown, client) => {
    if (!isReadOnlyError(error)) return void idle.add(client);
    choosers.get(url)?.forget();
    // The pool removes an idle connection that reports an error.
    for (const other of [...idle]) other.emit('error', error);
  });
}

/** Runs `work` on a short connection to the host of another one, which was opened with this URL. */
export function withSibling<T>(of: Client, url: string, timeoutMs: number, work: (client: Client) => Promise<T>) {
  return withConnection(targetOf(url), { host: of.host, port: of.port }, timeoutMs, work);
}

async function withConnection<T>(
  { connectionString }: DatabaseTarget,
  host: DatabaseHost,
  timeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = Object.assign(new Client({ connectionString, application_name: 'detour', ...limits }), host);
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}

interface Chooser {
  host(): Promise<DatabaseHost>;
  forget(): void;
}

/** Choosers of this thread, which its pools share. */
const choosers = new Map<string, Chooser>();

function chooserOf(url: string, target: DatabaseTarget): Chooser {
  const known = choosers.get(url);
  if (known) return known;
  let chosen: { host: Promise<DatabaseHost>; at: number } | undefined;
  const chooser: Chooser = {
    host() {
      if (chosen && performance.now() - chosen.at < CHOICE_MS) return chosen.host;
      const host = findHost(target);
      chosen = { host, at: performance.now() };
      host.catch(chooser.forget);
      return host;
    },
    forget: () => void (chosen = undefined),
  };
  choosers.set(url, chooser);
  return chooser;
}

/** Probes all hosts at once, so that one that does not respond costs its timeout only. The order of the list decides. */
async function findHost(target: DatabaseTarget): Promise<DatabaseHost> {
  const probes = target.hosts.map((host) => ({ host, result: probe(target, host).catch((error: unknown) => error) }));
  const problems: string[] = [];
  for (const { host, result } of probes) {
    const found = await result;
    if (found === 'usable') return host;
    // A wrong password is no reason to wait for a failover.
    if (found instanceof Error && !isConnectionError(found)) throw found;
    problems.push(`${host.host}:${host.port} ${found instanceof Error ? found.message : `is a ${String(found)}`}`);
  }
  throw noHost(target, problems);
}

const probe = (target: DatabaseTarget, host: DatabaseHost): Promise<'usable' | 'primary' | 'standby'> =>
  withConnection(target, host, PROBE_TIMEOUT_MS, async (client) => (await otherRole(target, client)) ?? 'usable');

/** The role of the server if it is not the wanted one. A server that is set to read only counts as a standby. */
async function otherRole({ role }: DatabaseTarget, client: Client): Promise<'primary' | 'standby' | undefined> {
  if (role === 'any') return undefined;
  const { rows } = await client.query<{ off: boolean }>(
    "select current_setting('transaction_read_only') = 'off' as off",
  );
  const found = rows[0]?.off === true ? 'primary' : 'standby';
  return found === role ? undefined : found;
}

/**
 * The error of a commit whose wait for the synchronous standby an operator has cancelled. PostgreSQL reports success and
 * a notice, but a promotion of the standby would lose the commit: the client must not read a success.
 */
function notReplicated(): Error {
  const reason = 'a commit was not confirmed by the synchronous standby: start it, or change synchronous_standby_names';
  return Object.assign(new Error(reason), { code: '08007' });
}

/** An error as of a server that starts: the hosts may change their roles. */
function noHost({ role }: DatabaseTarget, problems: string[]): Error {
  const [missing, fix] =
    role === 'standby'
      ? ['no host of DATABASE_READ_URL is a standby', 'start one']
      : ['no host of DATABASE_URL accepts writes', 'start or promote one'];
  const reason = `${missing} (${problems.join('; ')}): ${fix}`;
  return Object.assign(new Error(reason), { code: '57P03' });
}
