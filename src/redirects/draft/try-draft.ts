/**
 * What visitors would get if a redirect that is still being written were live: the live rules with it among them, asked by the engine
 * that answers visitors. Costs a fork of the ruleset and what a request costs, whatever the size of the website.
 */
import { followHops, type Journey, loopOf } from '../../resolver/follow.ts';
import { parseLocation } from '../../resolver/location.ts';
import { type Match, type MatchRequest, type Rule, parseKey } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { targetParts } from '../../resolver/target.ts';
import type { LiveSite } from '../../deployments/live/rulesets.ts';
import { isOwnHost } from '../../deployments/live/test-url.ts';
import type { CheckedDraft } from './check-draft.ts';

/** A journey that uses a rule this often counts as endless. */
const ENDLESS_USES = 5;
/** Addresses in the report of an endless journey. */
const ENDLESS_SHOWN = 3;
/** Sample values of a pattern's groups, if no address is given. */
const SAMPLES = ['x', '1', '2024'];

export interface DraftTrial {
  /**
   * `beaten`: another rule goes before it; `self`: it would lead to the address itself, so that it is passed over; `unmatched`: the
   * address is none of its own
   */
  result: 'fired' | 'self' | 'beaten' | 'unmatched';
  /** the Location that it has for the address; null without a match or a target */
  location: string | null;
  /** the rule that answers instead of it */
  winner: Match | null;
  followed: Journey;
  loop: DraftLoop | null;
}

export interface DraftLoop {
  /** the addresses, the first again at the end; of one without end the first of them */
  paths: string[];
  /** no address comes back, as each is longer than the one before */
  endless: boolean;
}

/** The request that a rule answers by its key; undefined for a pattern, which stands for many. */
export function ownRequest({
  key,
  isRegex,
}: Pick<CheckedDraft, 'key' | 'isRegex'>): MatchRequest | undefined {
  if (key === null || isRegex) return undefined;
  const { path } = parseKey(key);
  return { path, query: key === path ? null : key.slice(path.length + 1) };
}

/** The rule other than the one with this id that answers the request now. */
export function answersNow(live: LiveSite, request: MatchRequest, ownId: number): Match | null {
  const match = live.rules.ruleset.match(request, live.site);
  return match && match.id !== ownId ? match : null;
}

/** Says what becomes of a request with `rule` among the live rules, in the place of `before`. */
export function rehearse(
  live: LiveSite,
  rule: Rule,
  before: CheckedDraft['before'],
): (request: MatchRequest) => DraftTrial {
  const rules = withRule(live.rules.ruleset, rule, before);
  return (request) => {
    const candidates = rules.candidates(request, live.site);
    const own = candidates.find(({ id }) => id === rule.id);
    const fired = candidates.find(({ outcome }) => outcome === 'fired');
    const followed = followHops(rules, request, live.site, isOwnHost(live));
    return {
      result: own?.outcome ?? 'unmatched',
      location: own?.location ?? null,
      winner: fired && fired !== own ? fired : null,
      followed,
      loop: loopThrough(rule.id, followed),
    };
  };
}

/**
 * Addresses that a pattern leads to, from which a loop through it would come back; none for a literal, whose own path is enough, and for
 * targets elsewhere. Groups are taken to have caught a word, a digit or a year: a hint, not a proof.
 */
export function sampleRequests({ isRegex, newPath }: Rule): MatchRequest[] {
  if (!isRegex || newPath === null || !newPath.startsWith('/')) return [];
  const parts = targetParts(newPath);
  const texts = SAMPLES.map((sample) =>
    parts.map((part) => (typeof part === 'string' ? part : sample)).join(''),
  );
  return [...new Set(texts)].map((text) => {
    const { path, query } = parseLocation(text);
    return { path, query };
  });
}

/** The loop of a journey, if the rule is part of it. */
function loopThrough(id: number, journey: Journey): DraftLoop | null {
  const { hops, outcome, finalUrl } = journey;
  const uses = hops.filter(({ ruleId }) => ruleId === id).length;
  if (outcome === 'too-many' && uses >= ENDLESS_USES) {
    return { paths: hops.slice(0, ENDLESS_SHOWN).map(({ url }) => url), endless: true };
  }
  const loop = loopOf(journey);
  if (!loop?.some(({ ruleId }) => ruleId === id)) return null;
  return { paths: [...loop.map(({ url }) => url), finalUrl], endless: false };
}

/** The rule that it changes is not there any more; neither is a live one of its key that the working state has given up. */
function withRule(ruleset: Ruleset, rule: Rule, before: CheckedDraft['before']): Ruleset {
  const draft = ruleset.fork();
  if (before && draft.get(before.key)?.id === before.id) draft.remove(before.key);
  draft.remove(rule.key);
  draft.add(rule);
  return draft.seal();
}
