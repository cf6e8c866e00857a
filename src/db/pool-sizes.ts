/** Connections of one process, by purpose. */
export interface PoolSizes {
  /** requests, deployments, webhooks, maintenance */
  main: number;
  /** streamed responses */
  streams: number;
  /** of the thread that prepares rules */
  rulesets: number;
  /** of the thread for imports, exports and reports */
  bulk: { main: number; streams: number; imports: number };
}

const ALONE: PoolSizes = { main: 20, streams: 10, rulesets: 4, bulk: { main: 5, streams: 10, imports: 15 } };
/** Twelve let three deployments and the writes of one account wait at the same time without blocking others. */
const SHARED: PoolSizes = { main: 12, streams: 5, rulesets: 4, bulk: { main: 3, streams: 4, imports: 6 } };

/** Reads of changes only. */
const EDGE: PoolSizes = { main: 4, streams: 1, rulesets: 4, bulk: { main: 0, streams: 0, imports: 0 } };

/** Outside the pools: the instance lock, LISTEN, and two that write hits. */
const SINGLE_CONNECTIONS = 4;

/** The pools of one of `processes` processes of a machine. Several need less each, because they share the requests. */
export function poolSizes(processes: number, hasApi = true): PoolSizes {
  if (!hasApi) return EDGE;
  return processes === 1 ? ALONE : SHARED;
}

/** The most connections that one of `processes` processes opens. */
export function connectionsOf(processes: number): number {
  const { main, streams, rulesets, bulk } = poolSizes(processes);
  return SINGLE_CONNECTIONS + main + streams + rulesets + bulk.main + bulk.streams + bulk.imports;
}
