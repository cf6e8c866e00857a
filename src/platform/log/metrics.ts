/** Metrics that are read from the process when Prometheus asks, so that what they measure pays nothing for them. */
import { within } from '../clock.ts';
import { type Aggregator, collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { VERSION } from '../version.ts';

export type Sample<Label extends string> = [labels: Record<Label, string>, value: number];
/** Values of a metric. Without a value, the metrics omit it. */
type Values<Label extends string> = number | undefined | Sample<Label>[];

interface MetricOptions<Label extends string> {
  name: string;
  help: string;
  labelNames?: readonly Label[];
}

interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /** How the values of several processes are combined. Default: their sum. */
  aggregator?: Aggregator;
  read: () => Values<Label> | Promise<Values<Label>>;
  /** The value if a promise of `read` rejects or takes over a second. Default: none. */
  late?: number;
}

/** A database that does not respond must not delay the other metrics. */
const READ_TIMEOUT_MS = 1_000;

export function addGauge<Label extends string = never>(
  metrics: Registry,
  { read, late, ...options }: GaugeOptions<Label>,
): void {
  new Gauge<Label>({
    ...options,
    registers: [metrics],
    async collect() {
      const values = read();
      const known = values instanceof Promise ? await within(READ_TIMEOUT_MS, values, late).catch(() => late) : values;
      this.reset();
      if (known === undefined) this.remove();
      for (const [labels, value] of samplesOf(known)) this.set(labels, value);
    },
  });
}

interface TotalOptions<Label extends string> extends MetricOptions<Label> {
  /** Returns totals since the start, which never decrease. */
  read: () => number | Sample<Label>[];
}

/** Adds a counter whose totals are plain numbers of the code that counts. */
export function addTotal<Label extends string = never>(
  metrics: Registry,
  { read, ...options }: TotalOptions<Label>,
): void {
  new Counter<Label>({
    ...options,
    registers: [metrics],
    collect() {
      this.reset();
      for (const [labels, value] of samplesOf(read())) this.inc(labels, value);
    },
  });
}

function samplesOf<Label extends string>(values: Values<Label>): [labels: Partial<Record<Label, string>>, number][] {
  if (values === undefined) return [];
  return typeof values === 'number' ? [[{}, values]] : values;
}

/** Gauges of prom-client that hide one slow process among several if they are averaged. */
const WORST_OF_ALL = ['_', '_p50_', '_p90_', '_p99_', '_mean_', '_stddev_'].map(
  (part) => `nodejs_eventloop_lag${part}seconds`,
);

/** Created once: each creation starts further measurements of the same process. */
let processMetrics: Registry | undefined;

/** Adds memory, CPU time, event loop, garbage collection and the version of this process. */
export function addProcessMetrics(metrics: Registry): void {
  processMetrics ??= createProcessMetrics();
  for (const metric of processMetrics.getMetricsAsArray()) {
    const own = processMetrics.getSingleMetric(metric.name);
    if (own) metrics.registerMetric(own);
  }
}

function createProcessMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  for (const name of [...WORST_OF_ALL, 'process_start_time_seconds']) {
    const metric = metrics.getSingleMetric(name);
    if (metric) Object.assign(metric, { aggregator: 'max' satisfies Aggregator });
  }
  addGauge(metrics, {
    name: 'detour_build_info',
    help: 'Always 1; the labels have the versions of Detour and of Node.js',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    read: () => [[{ version: VERSION, node: process.versions.node }, 1]],
  });
  return metrics;
}
