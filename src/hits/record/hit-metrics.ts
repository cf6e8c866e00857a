import { Counter, type Registry } from 'prom-client';
import { addGauge, addTotal } from '../../platform/log/metrics.ts';
import type { CountedReport } from '../reported/count-report.ts';
import type { HitRecorder } from './recorder.ts';

export function registerHitMetrics(metrics: Registry, hits: HitRecorder): void {
  addTotal(metrics, {
    name: 'detour_hits_recorded_total',
    help: 'GET requests for managed websites that were passed on to be counted, bots and assistants included',
    read: () => hits.recorded(),
  });
  addTotal(metrics, {
    name: 'detour_hits_lost_total',
    help: 'Requests that could not be counted, because their thread crashed or was far behind',
    read: () => hits.lost(),
  });
  addGauge(metrics, {
    name: 'detour_hits_unwritten',
    help: 'Requests that are counted and not written yet, bots and assistants included',
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

/** Returns a function that adds the hits of a report when it is counted. */
export function createReportMetrics(metrics: Registry): (report: Promise<CountedReport>) => Promise<CountedReport> {
  const total = new Counter({
    name: 'detour_hits_reported_total',
    help: 'GET requests that agents have answered and reported, bots and assistants included; a batch that arrives twice counts once',
    registers: [metrics],
  });
  return async (report) => {
    const counted = await report;
    total.inc(counted.accepted);
    return counted;
  };
}
