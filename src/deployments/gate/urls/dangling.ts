import type { TimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { addressOf } from '../../../resolver/follow.ts';
import { parseLocation } from '../../../resolver/location.ts';
import type { MatchRequest } from '../../../resolver/rule.ts';
import type { Ruleset } from '../../../resolver/ruleset.ts';
import { targetParts } from '../../../resolver/target.ts';
import { isActive } from '../../../resolver/window.ts';
import { ownUrl } from '../../../rules/url-key.ts';
import type { UrlState } from '../../../vocabulary/urls.ts';
import { answerOf, type StateOf, type UrlSite } from './answer-of.ts';
import { isAnswered } from './loses-at.ts';
import type { RankedTexts } from './first-urls.ts';

export interface KnownAnswers {
  stateOf: StateOf;
  /** Whether a URL is living or answered; undefined for one that the website does not know. */
  isAnsweredUrl: (url: string) => boolean | undefined;
}

/**
 * Returns the keys of the rules whose target on an own host is neither living nor answered at a time: of all literal
 * rules, and of the patterns whose target has no groups. Rules that do not exist at the time are skipped.
 */
export async function findDangling(
  ruleset: Ruleset,
  site: UrlSite,
  { stateOf, isAnsweredUrl, at }: KnownAnswers & { at: number },
  slice: TimeSlice,
): Promise<RankedTexts> {
  const literals: number[] = [];
  const patterns: string[] = [];
  // A path stays on the host of its rule, so the answers are those of its requests unless the host redirects as a whole.
  const isKnown = site.host === undefined || site.hosts.servesRules(site.host);
  const exists = (key: string): boolean => {
    const window = ruleset.get(key)?.window;
    return !window || isActive(window, at);
  };
  for (const target of ruleset.targets()) {
    if (slice.isOver()) await slice.yield();
    const { isPlain, newPath } = target;
    const isDead =
      isPlain && isKnown
        ? !(isAnsweredUrl(newPath) ?? isReached(site, { path: newPath, query: null }, undefined, stateOf))
        : isDangling(site, isPlain ? { path: newPath, query: null } : newPath, stateOf);
    if (!isDead || !target.isCurrent()) continue;
    if (!ruleset.isScheduled || exists(target.key())) literals.push(target.reference);
  }
  for (const { key, newPath } of ruleset.patterns()) {
    if (slice.isOver()) await slice.yield();
    const parts = targetParts(newPath ?? '');
    const text = parts.every((part) => typeof part === 'string') ? parts.join('') : '';
    if (text !== '' && isDangling(site, text, stateOf) && exists(key)) patterns.push(key);
  }
  const text = (index: number): string => {
    const reference = literals[index];
    return reference === undefined ? (patterns[index - literals.length] ?? '') : ruleset.keyAt(reference);
  };
  const isAfter = (index: number, other: string): boolean => text(index) > other;
  return { size: literals.length + patterns.length, text, weight: () => 0, isAfter };
}

function isDangling(site: UrlSite, target: MatchRequest | string, stateOf: StateOf): boolean {
  const request = typeof target === 'string' ? ownRequest(site, target) : target;
  if (!request) return false;
  return !isReached(site, request, stateOf(ownUrl(addressOf(request), site.pageParameters).url), stateOf);
}

/** Whether a request for a URL of this state gets a living page or an answer. */
function isReached(site: UrlSite, request: MatchRequest, state: UrlState | undefined, stateOf: StateOf): boolean {
  const host = request.host ?? site.host;
  const servesRules = host === undefined || site.hosts.servesRules(host);
  if (state === 'living' && (request.host === undefined || servesRules)) return true;
  // A path stays on the host of its rule, which is never one that redirects as a whole.
  const visited = host !== undefined && (servesRules || request.host !== undefined) ? { ...request, host } : request;
  return isAnswered(answerOf(site, visited, state, stateOf));
}

/** The request of a browser for a target; undefined on a host of others. */
function ownRequest({ hosts }: UrlSite, target: string): MatchRequest | undefined {
  const { host, path, query } = parseLocation(target);
  if (host !== undefined && !hosts.has(host)) return undefined;
  return host === undefined ? { path, query } : { path, query, host };
}
