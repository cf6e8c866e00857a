import { runInSlices, createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { followHops, type Journey } from '../../resolver/follow.ts';
import type { Match, MatchRequest } from '../../resolver/rule.ts';
import { ownHosts } from './site-registry.ts';
import { inactiveMatch, requestOf, respondsByRules, rulesetAt, type TestedSite } from './test-url.ts';

export interface ResolvedUrl {
  /** as it was requested */
  url: string;
  request: MatchRequest;
  /** the winning rule; undefined if none matches, and for a domain redirect */
  match: Match | undefined;
  /** the rule that would win if all windows were open, if that is another one */
  inactive: Match | undefined;
  /** at most 20 hops */
  followed: Journey;
}

/**
 * Resolves many URLs with the rules of one environment at a time, in their order and without hits. Checks all of them first: throws
 * at `urls[n]` as `requestOf`. Lazy, and yields to the event loop, so memory stays flat. One URL costs at most 21 matches.
 */
export async function* resolveUrls(tested: TestedSite, urls: readonly string[], at: Date): AsyncGenerator<ResolvedUrl> {
  const { site, environment, rules } = tested;
  const ruleset = rulesetAt(rules.ruleset, at);
  const hosts = ownHosts(site, environment);
  const slice = createTimeSlice();
  const requests: MatchRequest[] = [];
  for (const [index, url] of urls.entries()) {
    if (slice.isOver()) await slice.yield();
    requests.push(requestOf({ hosts, environment }, url, `urls[${index}]`));
  }
  for (const [index, request] of requests.entries()) {
    if (slice.isOver()) await slice.yield();
    const isByRules = respondsByRules(request, hosts);
    const match = isByRules ? ruleset.match(request, site) : undefined;
    const inactive = isByRules ? inactiveMatch(tested, request, match) : undefined;
    const followed = await runInSlices(followHops(ruleset, request, site, hosts), slice);
    yield { url: urls[index] ?? '', request, match, inactive, followed };
  }
}
