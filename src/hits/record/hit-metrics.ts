import { Gauge, type Registry } from 'prom-client';
import type { HitRecorder } from './recorder.ts';

/** Registers the gauges of the hit counting in this process. */
export function registerHitMetrics(metrics: Registry, hits: HitRecorder): void {
  const addGauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  };
  addGauge('detour_hits_unwritten', 'Hits of people that are counted and not written yet.', () =>
    hits.unwritten(),
  );
  addGauge(
    'detour_hits_folded',
    'Hits since the start whose visitor or country was not noted with their redirect, for want of memory.',
    () => hits.folded.hits,
  );
  addGauge(
    'detour_not_found_folded',
    'Requests since the start that no redirect matched and whose path was not noted: there were too many different ones.',
    () => hits.folded.paths,
  );
}
