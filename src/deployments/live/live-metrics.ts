import type { Registry } from 'prom-client';
import { stopwatch } from '../../platform/clock.ts';
import { addGauge } from '../../platform/log/metrics.ts';
import type { LiveRegistry } from './live-registry.ts';

export interface LiveMetricsOptions {
  registry: LiveRegistry;
  /** whether the rules are those of the database, not only of snapshots */
  isCurrent: () => boolean;
  /** Returns undefined until the database was read. */
  secondsBehind: () => number | undefined;
}

/** Adds the rules in memory. Processes behind one /metrics have the same ones, so a sum would count them repeatedly. */
export function registerLiveMetrics(
  metrics: Registry,
  { registry, isCurrent, secondsBehind }: LiveMetricsOptions,
): void {
  let changedAt: number | undefined;
  let { versions } = registry.totals();
  registry.observe(() => {
    if (registry.totals().versions === versions) return;
    versions = registry.totals().versions;
    changedAt = stopwatch();
  });
  addGauge(metrics, {
    name: 'detour_live_websites',
    help: 'Websites in memory',
    aggregator: 'min',
    read: () => registry.websiteIds().length,
  });
  addGauge(metrics, {
    name: 'detour_live_rules',
    help: 'Live rules in memory, over all environments',
    aggregator: 'min',
    read: () => registry.totals().rules,
  });
  addGauge(metrics, {
    name: 'detour_live_versions',
    help: 'Sum of the live version numbers of all environments; processes that serve the same rules have the same sum',
    aggregator: 'min',
    read: () => registry.totals().versions,
  });
  addGauge(metrics, {
    name: 'detour_live_bytes',
    help: 'Memory of live rules; parts that versions share are counted for each',
    read: () => registry.totals().bytes,
  });
  addGauge(metrics, {
    name: 'detour_rulesets_current',
    help: '1 if the rules are those of the database, 0 while the process responds from snapshots only',
    aggregator: 'min',
    read: () => Number(isCurrent()),
  });
  addGauge(metrics, {
    name: 'detour_rulesets_age_seconds',
    help: 'Seconds since the process last compared its rules with the database, which it does four times a second',
    aggregator: 'max',
    read: secondsBehind,
  });
  addGauge(metrics, {
    name: 'detour_last_version_age_seconds',
    help: 'Seconds since the process last began to serve a version',
    aggregator: 'max',
    read: () => changedAt && (stopwatch() - changedAt) / 1_000,
  });
}
