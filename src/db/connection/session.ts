/** Settings of sessions, made by SET after connecting: poolers (PgBouncer) reject them as startup parameters. */
import type { Client } from 'pg';

/** A write that waits longer for another one of the same website fails with BUSY. */
export const LOCK_TIMEOUT_MS = 10_000;
/** Longest query of requests, polls, deployments and webhooks. Streams, imports and rulesets have no limit. */
export const MAX_QUERY_MS = 30_000;
/** A transaction that is idle for longer belongs to a suspended process. */
const MAX_IDLE_TRANSACTION_MS = 60_000;
const CHECK_CLIENT_MS = 2_000;

/** One format of times, whatever the database or role has configured. */
const FORMATS = { DateStyle: 'ISO', TimeZone: 'UTC' };
/**
 * Reading bytes in the other format takes ten times as long. With keepalives the server ends the session of a vanished
 * client, with its locks, within a minute; with the user timeout also if a response to it was lost. With the check it
 * ends the statement of a process that was killed, instead of finishing it.
 */
const SETTINGS = {
  ...FORMATS,
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  // A server on macOS or Windows logs that it does not have the first, for each connection; Windows rejects the second.
  ...(process.platform === 'linux' && { tcp_user_timeout: 30_000, client_connection_check_interval: CHECK_CLIENT_MS }),
};

/** Limits of statements that visitors, requests or other processes wait for. */
export const limitsOf = (maxQueryMs: number | undefined) => ({
  lock_timeout: LOCK_TIMEOUT_MS,
  ...(maxQueryMs !== undefined && {
    statement_timeout: maxQueryMs,
    idle_in_transaction_session_timeout: MAX_IDLE_TRANSACTION_MS,
  }),
});

/** Statements that set up a session. */
export const sessionSetup = (limits: Record<string, number> = {}): string => setAll('set', { ...SETTINGS, ...limits });

/**
 * The only settings that PgBouncer in transaction mode stores for each of its clients. It would leave others in a session
 * of PostgreSQL that other clients use next.
 */
export const pooledSetup = (): string => setAll('set', FORMATS);

/**
 * The query of pgbouncer.ini that limits single statements in transaction mode. With the check, PostgreSQL ends one whose
 * client is gone.
 */
export const CONNECT_QUERY = [
  ...Object.entries(limitsOf(MAX_QUERY_MS)),
  ['client_connection_check_interval', CHECK_CLIENT_MS],
]
  .map(([name, value]) => `set ${name} = ${value}`)
  .join('; ');

/** Statements that limit the current transaction. */
export const transactionSetup = (limits: Record<string, number>): string => setAll('set local', limits);

function setAll(command: string, settings: Record<string, string | number>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${command} ${name} = '${value}'`)
    .join('; ');
}

/** Executes all statements of the connection without preparing them, for a pooler that loses prepared statements. */
export function prepareNothing(client: Client): void {
  client.query = new Proxy(client.query, {
    apply(query, self, [first, ...rest]: unknown[]) {
      const isNamed = first instanceof Object && 'name' in first && 'text' in first;
      return Reflect.apply(query, self, [isNamed ? { ...first, name: undefined } : first, ...rest]) as unknown;
    },
  });
}
