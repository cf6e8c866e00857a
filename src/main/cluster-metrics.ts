import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { addGauge } from '../platform/log/metrics.ts';
import type { Peer } from '../platform/process/ipc.ts';

/** A worker that does not reply in time is omitted. */
const TIMEOUT_MS = 2_000;

/** Adds up the metrics of the workers. A gauge may name another way in its `aggregator`, such as `max`. */
export function createClusterMetrics(workers: () => { peer: Peer; isReady: boolean }[]) {
  const own = new Registry();
  addGauge(own, {
    name: 'detour_processes',
    help: 'Processes that answer requests on the shared port',
    read: () => workers().filter(({ isReady }) => isReady).length,
  });
  const restarts = new Counter({
    name: 'detour_process_restarts_total',
    help: 'Processes that ended and were replaced',
    registers: [own],
  });
  return {
    /** The metrics of all workers and of the primary process, in the text format of Prometheus. */
    async read() {
      const replies = await Promise.allSettled(
        workers().map(({ peer }) => peer.call<object[]>('metrics', undefined, TIMEOUT_MS)),
      );
      const ofWorkers = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
      return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...ofWorkers]).metrics();
    },
    countRestart: () => restarts.inc(),
  };
}
