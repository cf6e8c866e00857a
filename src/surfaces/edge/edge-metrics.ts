import { Histogram, type Registry } from 'prom-client';
import { addTotal } from '../../platform/metrics.ts';
import type { OutcomeTotals } from './outcome-totals.ts';

const SECONDS = [0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.01];

/** Adds the responses to visitors. Not part of the edge itself, which starts without this library. */
export function registerEdgeMetrics(metrics: Registry, totals: OutcomeTotals): void {
  addTotal(metrics, {
    name: 'detour_redirects_total',
    help: 'Responses to requests for managed websites',
    labelNames: ['environment', 'outcome'],
    read: () => totals.read(),
  });
  const seconds = new Histogram({
    name: 'detour_redirect_seconds',
    help: 'Time from the headers of a request for a managed website to its response, of one response in 64',
    buckets: SECONDS,
    registers: [metrics],
  });
  totals.sampleTo((value) => seconds.observe(value));
}
