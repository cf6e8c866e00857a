import type { Db } from './client.ts';
import { queryRows } from '../rows.ts';

/** Connections of one process, by purpose. */
export interface PoolSizes {
  /** requests, deployments, webhooks, maintenance */
  main: number;
  streams: number;
  /** of the thread that prepares rules */
  rulesets: number;
  /** of the thread for imports, exports and reports */
  bulk: { main: number; streams: number; imports: number };
}

/** The part of the configuration that decides how many connections a start opens. */
export interface ConnectionOptions {
  role: 'all' | 'edge' | 'api';
  processes: number;
  /** for one process; null: the default */
  databaseConnections: number | null;
}

/** Outside the pools: the instance lock, LISTEN, and the one that writes hits. */
const SINGLE_CONNECTIONS = 3;

/** Enough for one import, one deployment, a few writes and reads at a time. */
const MIN_CONNECTIONS = 20;
/** Two processes fit into PostgreSQL's default of 100, of which 3 are reserved for superusers. */
const DEFAULT_CONNECTIONS = 44;
const DEFAULT_TOTAL = 88;

/** Reads of changes only. */
const EDGE: PoolSizes = { main: 4, streams: 1, rulesets: 4, bulk: { main: 0, streams: 0, imports: 0 } };

export function connectionsPerProcess({ role, processes, databaseConnections }: ConnectionOptions): number {
  if (role === 'edge') return SINGLE_CONNECTIONS + EDGE.main + EDGE.streams + EDGE.rulesets;
  if (databaseConnections !== null) return databaseConnections;
  return Math.max(MIN_CONNECTIONS, Math.min(DEFAULT_CONNECTIONS, Math.floor(DEFAULT_TOTAL / processes)));
}

/** Splits the connections of one process over its pools. Their sum, with the single ones, is connectionsPerProcess. */
export function poolSizes(options: ConnectionOptions): PoolSizes {
  if (options.role === 'edge') return EDGE;
  const total = connectionsPerProcess(options);
  const extra = total - MIN_CONNECTIONS;
  const streams = 2 + Math.floor(extra / 6);
  // One for each deployment at a time, and one to follow other processes.
  const rulesets = 2 + Math.min(2, Math.floor(extra / 10));
  const bulk = {
    main: 2 + Math.floor(extra / 20),
    streams: 2 + Math.floor(extra / 10),
    // Each import takes three.
    imports: 3 + 3 * Math.floor(extra / 12),
  };
  const main = total - SINGLE_CONNECTIONS - streams - rulesets - bulk.main - bulk.streams - bulk.imports;
  return { main, streams, rulesets, bulk };
}

/** How many units of work that hold connections of the main pool run at a time, so that some stay free for others. */
export function mainPoolShares(main: number): { deployments: number; writes: number; readsOfAccount: number } {
  return {
    // A deployment takes two: one holds the lock of its environment.
    deployments: Math.max(1, Math.min(3, Math.floor(main / 5))),
    writes: Math.max(2, Math.floor(main * 0.4)),
    readsOfAccount: Math.max(1, Math.min(3, Math.floor(main / 5))),
  };
}

/** Returns a warning if the server cannot hold what this start may open; undefined if it can. */
export async function connectionShortage(db: Db, options: ConnectionOptions): Promise<string | undefined> {
  const [row] = await queryRows<{ available: number }>(db)`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as available`;
  const { processes } = options;
  const wanted = processes * connectionsPerProcess(options);
  if (row === undefined || wanted <= row.available) return undefined;
  return `this start opens up to ${wanted} database connections (${processes} x ${wanted / processes}), but the server allows ${row.available}: lower DATABASE_CONNECTIONS (at least ${MIN_CONNECTIONS}) or PROCESSES, or raise max_connections of PostgreSQL`;
}
