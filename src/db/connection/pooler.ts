/**
 * Checks at the start whether a pooler (PgBouncer) is in front of PostgreSQL, and whether it keeps what Detour needs.
 * PgBouncer does not say what it is: it sends each client a process id of its own, and in transaction mode it loses LISTEN.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { type DatabaseUrl, type PooledUrl, pooledUrlOf } from '../../vocabulary/database-url.ts';
import { isLostStatement, isReadOnlyError } from '../errors.ts';
import { driverOptions } from './hosts.ts';
import { CONNECT_QUERY, pooledSetup } from './session.ts';
import { backendOf } from './silent-connections.ts';

/** Long enough for a busy machine: otherwise a notification takes milliseconds. */
const TIMEOUT_MS = 5_000;
/** Clients that use one statement one after the other: PgBouncer gives most the session of the one before. */
const CHECKOUTS = 5;

const PAGE = 'docs/operations.md, "PgBouncer"';
const NO_SESSIONS = 'leads to a connection pooler that keeps no sessions (transaction mode)';
const PROBLEMS = {
  mode: `DATABASE_URL ${NO_SESSIONS}: set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or pool_mode = session in pgbouncer.ini (${PAGE})`,
  direct: `DATABASE_DIRECT_URL ${NO_SESSIONS}: set it to the address of PostgreSQL itself (${PAGE})`,
  other: 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases: let both lead to the same one',
  statements: `the pooler of DATABASE_URL rejects transactions: set pool_mode = transaction in pgbouncer.ini (${PAGE})`,
  prepared: `the pooler of DATABASE_URL loses prepared statements: set DATABASE_PREPARED=off, or max_prepared_statements = 200 in pgbouncer.ini from PgBouncer 1.21 (${PAGE})`,
};
/** The message of PgBouncer; the error has the code of any other. */
const STATEMENT_MODE = /statement pooling mode/;

/** Settings that a session behind a pooler must have, and how to show them. */
const REQUIRED = { DateStyle: 'ISO', TimeZone: 'UTC', IntervalStyle: 'postgres', bytea_output: 'hex' };
const LIMITS = ['lock_timeout', 'statement_timeout'] as const;
type Settings = Record<keyof typeof REQUIRED | (typeof LIMITS)[number], string>;
const SHOW = `select ${[...Object.keys(REQUIRED), ...LIMITS].map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`;

/**
 * Throws one line with the fix if a pooler lacks what Detour needs. Returns a warning if it has fewer connections than
 * this start may open, or limits no single statements; undefined if all is well, or there is no pooler.
 */
export async function checkPooler(databaseUrl: DatabaseUrl, connections: number): Promise<string | undefined> {
  const target = pooledUrlOf(databaseUrl);
  const { url, directUrl } = target;
  const isPostgres = await withProbe(directUrl ?? url, async (listener) => {
    const isDirect = await isOwnBackend(listener);
    if (isDirect && directUrl === null) return true;
    const isReceived = await withProbe(url, (notifier) => isNotified(listener, notifier));
    if (isReceived) return isDirect;
    if (directUrl === null) throw new Error(PROBLEMS.mode);
    throw new Error(isDirect ? PROBLEMS.other : PROBLEMS.direct);
  });
  if (directUrl !== null) return checkStatements(target);
  return isPostgres ? undefined : checkLent(url, connections);
}

/** Runs `work` on a short connection, set up as those that a pooler shares. */
async function withProbe<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const { connectionString, Client: HostClient } = driverOptions(url, pooledSetup());
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new HostClient({ connectionString, application_name: 'detour', ...limits });
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw STATEMENT_MODE.test(String(error)) ? new Error(PROBLEMS.statements, { cause: error }) : error;
  } finally {
    client.end().catch(() => {});
  }
}

/** False behind PgBouncer, which sends a number of its own as the process id. */
async function isOwnBackend(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === backendOf(client);
}

/** True if a notification by one client reaches the other, which needs a session, and the same database for both. */
async function isNotified(listener: Client, notifier: Client): Promise<boolean> {
  const channel = `detour_probe_${randomBytes(8).toString('hex')}`;
  try {
    await listener.query(`listen ${channel}`);
  } catch (error) {
    // A standby has no LISTEN, with or without a pooler.
    if (isReadOnlyError(error)) return true;
    throw error;
  }
  const received = once(listener, 'notification').then(() => true);
  await notifier.query('select pg_notify($1, $2)', [channel, '']);
  return Promise.race([received, pause(TIMEOUT_MS, false)]);
}

/** In session mode each connection takes one of the pooler's. Holds all that this start may open at once. */
async function checkLent(url: string, wanted: number): Promise<string | undefined> {
  let lent = 0;
  let waiting = wanted;
  const decided = Promise.withResolvers<void>();
  const decide = (): void => {
    if (--waiting === 0) decided.resolve();
  };
  const holding = Array.from({ length: wanted }, () =>
    withProbe(url, async () => {
      lent++;
      decide();
      await decided.promise;
    }).catch(decide),
  );
  await Promise.all(holding);
  if (lent === wanted) return undefined;
  return `this start opens up to ${wanted} database connections, but the pooler of DATABASE_URL has ${lent}: raise default_pool_size and max_client_conn in pgbouncer.ini, or lower DATABASE_CONNECTIONS or PROCESSES (${PAGE})`;
}

/** Executes one statement through several clients of the pooler, which share its sessions. */
async function checkStatements({ url, isPrepared }: PooledUrl): Promise<string | undefined> {
  const name = `detour_probe_${randomBytes(8).toString('hex')}`;
  let warning: string | undefined;
  for (let client = 0; client < CHECKOUTS; client++) {
    const settings = await withProbe(url, (probe) => readSettings(probe, isPrepared ? name : undefined));
    warning ??= checkSettings(settings);
  }
  return warning;
}

async function readSettings(client: Client, name: string | undefined): Promise<Settings> {
  try {
    await client.query('begin');
    const { rows } = await client.query<Settings>({ text: SHOW, ...(name !== undefined && { name }) });
    await client.query('commit');
    if (!rows[0]) throw new Error('the query of settings returned nothing');
    return rows[0];
  } catch (error) {
    throw isLostStatement(error) ? new Error(PROBLEMS.prepared, { cause: error }) : error;
  }
}

/** Throws if a setting of the pooler's sessions is wrong. Returns a warning if single statements have no limits. */
export function checkSettings(settings: Settings): string | undefined {
  for (const [name, value] of Object.entries(REQUIRED) as [keyof typeof REQUIRED, string][]) {
    if (settings[name].split(',')[0] !== value)
      throw new Error(
        `the pooler of DATABASE_URL has ${name} = ${settings[name]}: add "set ${name} = ${value}" to connect_query in pgbouncer.ini (${PAGE})`,
      );
  }
  const unlimited = LIMITS.filter((name) => settings[name] === '0');
  if (unlimited.length === 0) return undefined;
  return `the pooler of DATABASE_URL has no ${unlimited.join(' and ')}, so PostgreSQL does not limit single statements: add connect_query='${CONNECT_QUERY}' to the database in pgbouncer.ini; in session mode, unset DATABASE_DIRECT_URL instead (${PAGE})`;
}
