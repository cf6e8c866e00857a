/** Connections of one process, by purpose. */
export interface PoolSizes {
  /** requests, deployments, webhooks, maintenance */
  main: number;
  /** streamed responses */
  streams: number;
}

/**
 * The pools of one of `processes` processes on one machine. Several need less each, because they share the requests.
 * Twelve let three deployments and the writes of one account wait at the same time without blocking others.
 */
export function poolSizes(processes: number): PoolSizes {
  return processes === 1 ? { main: 20, streams: 10 } : { main: 12, streams: 5 };
}
