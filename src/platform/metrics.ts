/** Numbers for Prometheus, in its text format (version 0.0.4). */

export interface Counter {
  /** `label` is the value of the counter's label, where it has one. */
  add(label?: string, by?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export interface Metrics {
  /** `label` names what its values are counted by; the values must be few and known. */
  counter(name: string, help: string, label?: string): Counter;
  /** `buckets` are upper bounds, rising. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** `read` is asked at each scrape; undefined leaves the number out. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void;
  text(): Promise<string>;
}

/** A family's lines below its HELP and TYPE. */
type Lines = () => string[] | Promise<string[]>;

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createMetrics(): Metrics {
  const families: { head: string; lines: Lines }[] = [];
  const add = (name: string, type: string, help: string, lines: Lines): void => {
    families.push({ head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}`, lines });
  };
  return {
    counter(name, help, label) {
      const counts = new Map<string, number>(label === undefined ? [['', 0]] : []);
      add(name, 'counter', help, () =>
        [...counts].map(([value, count]) =>
          label === undefined ? `${name} ${count}` : `${name}{${label}="${value}"} ${count}`,
        ),
      );
      return { add: (value = '', by = 1) => void counts.set(value, (counts.get(value) ?? 0) + by) };
    },
    histogram(name, help, buckets) {
      const { observe, lines } = createHistogram(name, buckets);
      add(name, 'histogram', help, lines);
      return { observe };
    },
    gauge(name, help, read) {
      add(name, 'gauge', help, async () => {
        const value = await read();
        return value === undefined ? [] : [`${name} ${value}`];
      });
    },
    async text() {
      const parts: string[] = [];
      for (const { head, lines } of families) parts.push(head, ...(await lines()));
      return `${parts.join('\n')}\n`;
    },
  };
}

function createHistogram(name: string, buckets: readonly number[]): Histogram & { lines: () => string[] } {
  const counts = buckets.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(value) {
      count += 1;
      sum += value;
      const at = buckets.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    },
    lines() {
      let below = 0;
      const lines = buckets.map((bound, i) => `${name}_bucket{le="${bound}"} ${(below += counts[i] ?? 0)}`);
      return [...lines, `${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`];
    },
  };
}
