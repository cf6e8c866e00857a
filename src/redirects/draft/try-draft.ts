/**
 * Tries a draft: the resolver matches requests against the live rules with the draft among them. Costs a fork of the
 * ruleset and one request, whatever the size of the website.
 */
import { followHops, type Hop, type Journey, loopOf } from '../../resolver/follow.ts';
import { growingRound } from '../../resolver/growing-loop.ts';
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import type { CandidateMatch, Match, MatchRequest, Rule } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { LiveSite } from '../../deployments/live/live-registry.ts';
import { ownHosts } from '../../deployments/live/site-registry.ts';
import { rulesetAt } from '../../deployments/live/test-url.ts';
import type { CheckedDraft } from './check-draft.ts';

/** Addresses in the report of an endless journey. */
const ENDLESS_SHOWN = 3;

export interface DraftTrial {
  /** the time of the trial: now, or the start of the redirect's window if that is later */
  at: Date;
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
  /** a redirect of the loop has a window; the search takes each as existing */
  isScheduled: boolean;
}

/** The request for a literal rule's own path; undefined for a pattern. */
export function ownRequest({ key, isRegex }: CheckedDraft): MatchRequest | undefined {
  return key === null || isRegex ? undefined : splitTarget(key);
}

/** The live rule that matches the request now, unless it is the one with this id. */
export function answersNow(live: LiveSite, request: MatchRequest, ownId: number, now: Date): Match | null {
  const match = live.rules.ruleset.match(request, live.site, now.getTime());
  return match && match.id !== ownId ? match : null;
}

/** Returns a function that tries a request with `rule` among the live rules, in place of `before`. */
export function rehearse({ live, now }: { live: LiveSite; now: Date }, rule: Rule, before: CheckedDraft['before']) {
  const rules = withRule(live.rules.ruleset, rule, before);
  const at = new Date(Math.max(now.getTime(), rule.window?.from ?? 0));
  const hosts = ownHosts(live.site, live.environment);
  return async (request: MatchRequest): Promise<DraftTrial> => {
    let own: CandidateMatch | undefined;
    let winner: Match | undefined;
    for (const { id, wins, read } of rules.candidates(request, live.site, at.getTime())) {
      if (id !== rule.id && !wins) continue;
      if (id === rule.id) own = read();
      else winner = read();
      if (own && (winner || own.outcome === 'fired')) break;
    }
    const followed = await runInSlices(followHops(rulesetAt(rules, at), request, live.site, hosts));
    // A loop is a loop whenever the windows of its redirects meet.
    const always = rules.isScheduled ? await runInSlices(followHops(rules, request, live.site, hosts)) : followed;
    return {
      at,
      result: own?.outcome ?? 'unmatched',
      location: own?.location ?? null,
      winner: winner ?? null,
      followed,
      loop: loopThrough(rules, rule.id, always),
    };
  };
}

/** The loop of a journey, if the rule is part of it. */
function loopThrough(rules: Ruleset, id: number, journey: Journey): DraftLoop | null {
  const { hops, finalUrl } = journey;
  const isScheduled = (round: Hop[]): boolean => round.some(({ key }) => rules.get(key)?.window !== undefined);
  const growing = growingRound(journey);
  if (growing?.some(({ ruleId }) => ruleId === id)) {
    const paths = hops.slice(0, ENDLESS_SHOWN).map(({ url }) => url);
    return { paths, endless: true, isScheduled: isScheduled(growing) };
  }
  const loop = loopOf(journey);
  if (!loop?.some(({ ruleId }) => ruleId === id)) return null;
  return { paths: [...loop.map(({ url }) => url), finalUrl], endless: false, isScheduled: isScheduled(loop) };
}

/** The live rules with the draft, without the rule that it changes and an outdated rule with its key. */
function withRule(ruleset: Ruleset, rule: Rule, before: CheckedDraft['before']): Ruleset {
  const draft = ruleset.fork();
  if (before && draft.get(before.key)?.id === before.id) draft.remove(before.key);
  draft.remove(rule.key);
  draft.add(rule);
  return draft.seal();
}
