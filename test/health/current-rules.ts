/** Current rules of one website, without a database. */
import { createOwnHosts } from '../../src/resolver/own-hosts.ts';
import { proofOf } from '../../src/websites/txt-record.ts';
import { findChains } from '../../src/health/chains.ts';
import { createTimeSlice } from '../../src/platform/scheduling/time-slice.ts';
import type { CurrentRules } from '../../src/health/current-rules.ts';
import { ruleKey, type MatchOptions } from '../../src/resolver/rule.ts';
import { emptyRuleset } from '../../src/resolver/ruleset.ts';

export interface TestRule {
  from: string;
  to: string | null;
  status?: number;
  isRegex?: boolean;
}

/** Rules with ascending ids from 1. Skips a rule whose key exists. */
export function currentRulesOf(
  list: TestRule[],
  options: Partial<MatchOptions> = {},
  hosts: string[] = ['own.example'],
): CurrentRules {
  const draft = emptyRuleset().fork();
  for (const [index, { from, to, status = 301, isRegex = false }] of list.entries()) {
    const key = ruleKey(from, isRegex);
    if (draft.get(key)) continue;
    draft.add({ id: index + 1, key, isRegex, newPath: to, statusCode: to === null ? 410 : status });
  }
  const now = new Date(0);
  return {
    website: {
      id: 1,
      accountId: 1,
      name: 'test',
      caseSensitive: true,
      trailingSlash: 'ignore',
      query: 'pass',
      ...options,
      fallbackUrl: null,
      allowedTargetHosts: [],
      autoDeploy: true,
      onLoop: 'warn',
      gatedEnvironments: [],
      urlGate: [],
      pageParameters: [],
      sitemapUrls: [],
      checkSchedule: { every: 'off', hour: 3, weekday: 1, timeZone: 'UTC' },
      checkAfterDeployment: false,
      headRev: 1,
      history: null,
      createdAt: now,
      updatedAt: now,
      hosts: hosts.map((hostname) => ({
        hostname,
        environment: 'production',
        redirectTo: null,
        position: 0,
        verified: true,
        verification: proofOf(hostname, 'x'),
      })),
      hostCount: 1,
      heldEnvironments: [],
    },
    environment: 'production',
    at: { rulesEnv: 'production', rulesRev: 1, rulesMaxId: list.length, targetHosts: null },
    isUndeployed: false,
    ruleset: draft.seal(),
    hosts: createOwnHosts(
      hosts.map((hostname) => ({ hostname, environment: 'production' })),
      'production',
    ),
  };
}

/** Ids of the rules that start chains, and the loops by their ids, both ascending. */
export async function chainsOf(
  rules: CurrentRules,
): Promise<{ chains: number[]; loops: number[][]; counts: number[] }> {
  const chains: number[] = [];
  const loops: number[][] = [];
  const counts: number[] = [];
  await findChains(rules, createTimeSlice(), {
    chain: ({ id }) => void chains.push(id),
    loop: ({ ruleIds, count }) => {
      loops.push(ruleIds);
      counts.push(count);
    },
  });
  return {
    chains: chains.toSorted((a, b) => a - b),
    loops: loops.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    counts,
  };
}
