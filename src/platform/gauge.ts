import { type Aggregator, Gauge, type Registry } from 'prom-client';

export interface GaugeOptions {
  name: string;
  help: string;
  /** Returns the value when the metrics are read. Without a value, the metrics omit the gauge. */
  read: () => number | undefined | Promise<number | undefined>;
  /** how the values of several processes are combined; default: their sum */
  aggregator?: Aggregator;
}

export function addGauge(metrics: Registry, { read, ...options }: GaugeOptions): void {
  new Gauge({
    ...options,
    registers: [metrics],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
