import { Gauge, type Registry } from 'prom-client';
import type { HitRecorder } from './recorder.ts';

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
  addGauge('detour_hits_unwritten', 'Human hits that are counted and not written yet.', () => hits.unwritten());
  addGauge(
    'detour_hits_folded',
    'Hits since the start whose visitor and country were counted for the website only, because memory was full.',
    () => hits.overflow.hits,
  );
  addGauge(
    'detour_not_found_folded',
    'Unmatched requests since the start that were counted without their path, because there were too many paths.',
    () => hits.overflow.paths,
  );
}
