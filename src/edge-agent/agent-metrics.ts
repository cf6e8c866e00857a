/** The metrics of an agent. docs/edge-agent.md lists them. Those of the edge have the names that the service uses. */
import { Registry } from 'prom-client';
import type { LiveRegistry } from '../deployments/live/live-registry.ts';
import { addGauge, addProcessMetrics, addTotal, type Sample } from '../platform/log/metrics.ts';
import { addEdgeMetrics } from '../start/metrics.ts';
import type { OutcomeTotals } from '../surfaces/edge/outcome-totals.ts';
import type { FollowedWebsites } from './followed-websites.ts';
import type { HitReporterStats } from './hits/hit-reporter.ts';
import type { Relay } from './relay/relay.ts';
import type { WebsiteState } from './website-status.ts';

export interface AgentMetricsOptions {
  registry: LiveRegistry;
  outcomes: OutcomeTotals;
  websites: FollowedWebsites;
  relay: Relay | undefined;
}

type Labels = 'website' | 'environment';

export function createAgentMetrics({ registry, outcomes, websites, relay }: AgentMetricsOptions): Registry {
  const metrics = new Registry();
  addProcessMetrics(metrics);
  addEdgeMetrics(metrics, outcomes);
  addGauge(metrics, {
    name: 'detour_live_bytes',
    help: 'Memory of live rules; parts that versions share are counted for each',
    read: () => registry.totals().bytes,
  });
  if (relay)
    addGauge(metrics, {
      name: 'detour_agent_relay_followers',
      help: 'Requests of followers that wait at the relay or get a feed from it',
      read: relay.followers,
    });
  addFeedMetrics(metrics, websites);
  addHitMetrics(metrics, websites);
  return metrics;
}

const LABELS = ['website', 'environment'] as const;

function addFeedMetrics(metrics: Registry, websites: FollowedWebsites): void {
  const each = (read: (state: WebsiteState) => number | undefined): Sample<Labels>[] =>
    websites.list().flatMap((one): Sample<Labels>[] => {
      const state = one.state();
      const value = read(state);
      return value === undefined ? [] : [[{ website: state.website, environment: state.environment }, value]];
    });
  const gauges: [name: string, help: string, read: (state: WebsiteState) => number | undefined][] = [
    ['detour_agent_version', 'The version that the agent serves; 0: none yet', ({ version }) => version],
    ['detour_agent_rules', 'Rules that the agent serves', ({ rules }) => rules],
    [
      'detour_agent_current',
      '1 if the last request for the feed succeeded, 0 while the service is away',
      ({ source, problem }) => Number(source === 'service' && problem === null),
    ],
    [
      'detour_agent_age_seconds',
      'Seconds since the service last confirmed the rules, which it does at least each minute',
      ({ secondsBehind }) => secondsBehind,
    ],
  ];
  for (const [name, help, read] of gauges)
    addGauge(metrics, { name, help, labelNames: LABELS, read: () => each(read) });
  addTotal(metrics, {
    name: 'detour_agent_feed_failures_total',
    help: 'Requests for the feed that failed',
    labelNames: LABELS,
    read: () => each(({ failures }) => failures),
  });
}

function addHitMetrics(metrics: Registry, websites: FollowedWebsites): void {
  const sum = (read: (stats: HitReporterStats) => number) => () =>
    websites.list().reduce((total, one) => {
      const stats = one.hits()?.reporter.stats();
      return total + (stats ? read(stats) : 0);
    }, 0);
  const totals: [name: string, help: string, read: (stats: HitReporterStats) => number][] = [
    ['detour_agent_hits_recorded_total', 'Requests that the agent counted', ({ recorded }) => recorded],
    ['detour_agent_hits_reported_total', 'Hits that the service accepted', ({ reported }) => reported],
    ['detour_agent_hits_lost_total', 'Hits that cannot be reported', ({ lost }) => lost],
  ];
  for (const [name, help, read] of totals) addTotal(metrics, { name, help, read: sum(read) });
  addGauge(metrics, {
    name: 'detour_agent_hits_spooled_bytes',
    help: 'Bytes of hits that wait on disk',
    read: sum(({ spooledBytes }) => spooledBytes),
  });
}
