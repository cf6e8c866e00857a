/** Reads of a process from the standby of DATABASE_READ_URL. */
import type { Registry } from 'prom-client';
import { type Db, openDatabase, type PoolOptions } from '../db/connection/client.ts';
import { poolSizes } from '../db/connection/pool-sizes.ts';
import { MAX_QUERY_MS } from '../db/connection/session.ts';
import { createStandby } from '../db/standby.ts';
import { createReads, type Reads, type StandbyPools } from '../http/reads.ts';
import { addGauge, addTotal } from '../platform/log/metrics.ts';
import { createLoop } from '../platform/scheduling/loop.ts';
import type { Starting } from './stops.ts';

const MEASURE_EVERY_MS = 1_000;
/** between two reports that no standby responds, which may last */
const LOG_EVERY_MS = 60_000;

type Options = Pick<Starting, 'config' | 'measured' | 'onError' | 'stops'>;

/** Opens the standby, if there is one, and measures it until the process stops. */
export function openReads(options: Options, metrics: Registry): Reads {
  const { main: db, streams } = options.measured.pools;
  const standby = openStandby(options);
  const reads = createReads({ db, streams }, standby);
  addGauge(metrics, {
    name: 'detour_standby_staleness_seconds',
    help: 'Age of the data of the server of DATABASE_READ_URL; no value while it is unknown or no standby responds',
    aggregator: 'max',
    read() {
      const ms = standby?.stalenessMs() ?? Infinity;
      return ms === Infinity ? undefined : ms / 1_000;
    },
  });
  addTotal(metrics, {
    name: 'detour_stale_reads_total',
    help: 'Reads with max_staleness, by the server that answered',
    labelNames: ['server'],
    read: () => Object.entries(reads.totals).map(([server, count]) => [{ server }, count]),
  });
  return reads;
}

function openStandby({ config, measured, onError, stops }: Options): StandbyPools | undefined {
  const url = config.databaseReadUrl;
  if (url === null) return undefined;
  const open = (options: PoolOptions): Db => {
    const pool = openDatabase(url, { ...options, onError });
    stops.add(() => pool.$client.end());
    return pool;
  };
  const { main, streams } = poolSizes(config);
  const pools = { db: open({ max: main, maxQueryMs: MAX_QUERY_MS }), streams: open({ max: streams }) };
  const { mark, observe, stalenessMs } = createStandby(measured.pools.main, pools.db);
  const everyMs = MEASURE_EVERY_MS;
  const loops = [
    createLoop({ name: 'marking the time for the standby', everyMs, onError, tick: mark }),
    createLoop({ name: 'measuring the standby', everyMs, onError: rarely(onError), tick: observe }),
  ];
  for (const loop of loops) loop.start();
  stops.add(() => Promise.all(loops.map((loop) => loop.stop())));
  return { ...pools, stalenessMs };
}

function rarely(onError: (error: unknown) => void): (error: unknown) => void {
  let at = -Infinity;
  return (error) => {
    if (performance.now() - at < LOG_EVERY_MS) return;
    at = performance.now();
    onError(error);
  };
}
