import type { Registry } from 'prom-client';
import { addGauge } from '../../platform/gauge.ts';
import type { HitRecorder } from './recorder.ts';

export function registerHitMetrics(metrics: Registry, hits: HitRecorder): void {
  addGauge(metrics, {
    name: 'detour_hits_unwritten',
    help: 'Human hits that are counted and not written yet.',
    read: () => hits.unwritten(),
  });
  addGauge(metrics, {
    name: 'detour_hits_folded',
    help: 'Hits since the start whose visitor and country were counted for the website only, because memory was full.',
    read: () => hits.overflow.hits,
  });
  addGauge(metrics, {
    name: 'detour_not_found_folded',
    help: 'Unmatched requests since the start that were counted without their path, because there were too many paths.',
    read: () => hits.overflow.paths,
  });
}
