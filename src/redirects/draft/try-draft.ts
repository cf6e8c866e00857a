/**
 * Tries a draft: the resolver matches requests against the live rules with the draft among them. Costs a fork of the
 * ruleset and one request, whatever the size of the website.
 */
import { followHops, type Journey, loopOf } from '../../resolver/follow.ts';
import { growingRound } from '../../resolver/growing-loop.ts';
import { splitTarget } from '../../resolver/canonical-path.ts';
import { runInSlices } from '../../platform/time-slice.ts';
import type { CandidateMatch, Match, MatchRequest, Rule } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { LiveSite } from '../../deployments/live/live-registry.ts';
import { ownHosts } from '../../deployments/live/site-registry.ts';
import type { CheckedDraft } from './check-draft.ts';

/** Addresses in the report of an endless journey. */
const ENDLESS_SHOWN = 3;

export interface DraftTrial {
  /** `beaten`: another rule has precedence; `self`: skipped, because it would redirect to the address itself */
  result: 'fired' | 'self' | 'beaten' | 'unmatched';
  /** its Location for the address; null without a match or a target */
  location: string | null;
  /** the rule that matched instead */
  winner: Match | null;
  followed: Journey;
  loop: DraftLoop | null;
}

export interface DraftLoop {
  /** the addresses, the first again at the end; of an endless loop the first three */
  paths: string[];
  /** no address repeats, because each is longer than the previous one */
  endless: boolean;
}

/** The request for a literal rule's own path; undefined for a pattern. */
export function ownRequest({ key, isRegex }: CheckedDraft): MatchRequest | undefined {
  return key === null || isRegex ? undefined : splitTarget(key);
}

/** The live rule that matches the request, unless it is the one with this id. */
export function answersNow(live: LiveSite, request: MatchRequest, ownId: number): Match | null {
  const match = live.rules.ruleset.match(request, live.site);
  return match && match.id !== ownId ? match : null;
}

/** Returns a function that tries a request with `rule` among the live rules, in place of `before`. */
export function rehearse(
  live: LiveSite,
  rule: Rule,
  before: CheckedDraft['before'],
): (request: MatchRequest) => Promise<DraftTrial> {
  const rules = withRule(live.rules.ruleset, rule, before);
  return async (request) => {
    let own: CandidateMatch | undefined;
    let winner: Match | undefined;
    for (const { id, wins, read } of rules.candidates(request, live.site)) {
      if (id !== rule.id && !wins) continue;
      if (id === rule.id) own = read();
      else winner = read();
      if (own && (winner || own.outcome === 'fired')) break;
    }
    const hops = followHops(rules, request, live.site, ownHosts(live.site, live.environment));
    const followed = await runInSlices(hops);
    return {
      result: own?.outcome ?? 'unmatched',
      location: own?.location ?? null,
      winner: winner ?? null,
      followed,
      loop: loopThrough(rule.id, followed),
    };
  };
}

/** The loop of a journey, if the rule is part of it. */
function loopThrough(id: number, journey: Journey): DraftLoop | null {
  const { hops, finalUrl } = journey;
  if (growingRound(journey)?.some(({ ruleId }) => ruleId === id)) {
    return { paths: hops.slice(0, ENDLESS_SHOWN).map(({ url }) => url), endless: true };
  }
  const loop = loopOf(journey);
  if (!loop?.some(({ ruleId }) => ruleId === id)) return null;
  return { paths: [...loop.map(({ url }) => url), finalUrl], endless: false };
}

/** The live rules with the draft, without the rule that it changes and an outdated rule with its key. */
function withRule(ruleset: Ruleset, rule: Rule, before: CheckedDraft['before']): Ruleset {
  const draft = ruleset.fork();
  if (before && draft.get(before.key)?.id === before.id) draft.remove(before.key);
  draft.remove(rule.key);
  draft.add(rule);
  return draft.seal();
}
