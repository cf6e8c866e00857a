import type { Ruleset } from '../../../resolver/ruleset.ts';
import type { UrlState } from '../../../vocabulary/urls.ts';
import { type Answer, answerOf, requestFor, type StateOf, type UrlSite } from './answer-of.ts';

/** Changes of windows that are followed for one URL. */
const MAX_CHANGES = 20;

/** The matching of a ruleset at a fixed time, and the next moment at which one of its matches may change. */
export interface WatchedRules extends Pick<Ruleset, 'match'> {
  /** of the matches since it was set to Infinity */
  changesAt: number;
}

/** Watches the windows of the rules that match at a time. */
export function watchRules(ruleset: Pick<Ruleset, 'match'>, at: number): WatchedRules {
  const watched: WatchedRules = {
    changesAt: Infinity,
    match(request, options) {
      const match = ruleset.match(request, options, at);
      if (match?.validUntil !== undefined) watched.changesAt = Math.min(watched.changesAt, match.validUntil);
      return match;
    },
  };
  return watched;
}

/** True if a visitor gets a redirect or a 410. */
export const isAnswered = ({ answer }: Answer): boolean => answer === 'redirected' || answer === 'gone';

/**
 * Returns the first moment, from `from` to before `bound`, at which an answered URL is `lost` or `none` because a window
 * on its chain begins or ends. `from` is the next change on its chain. Takes the list of URLs as it is. Does not see a
 * rule that begins only at the end of a chain without a match, and stops after 20 changes: undefined then.
 */
export function lossTime(
  { ruleset, ...site }: UrlSite,
  { url, state, stateOf }: { url: string; state: UrlState; stateOf: StateOf },
  { from, bound }: { from: number; bound: number },
): number | undefined {
  let at = from;
  for (let change = 0; change < MAX_CHANGES && at < bound; change++) {
    const watched = watchRules(ruleset, at);
    const answer = answerOf({ ...site, ruleset: watched }, requestFor(site, url), state, stateOf);
    if (!isAnswered(answer)) return at;
    at = watched.changesAt;
  }
  return undefined;
}
