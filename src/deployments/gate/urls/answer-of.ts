/** Classifies one URL of a website: what a visitor gets, and why a URL is lost. Pure. */
import { ownUrl } from '../../../rules/url-key.ts';
import { addressOf, arriveAt, arriveFirst } from '../../../resolver/follow.ts';
import { type Match, type MatchRequest, parseKey } from '../../../resolver/rule.ts';
import type { LossReason, ShadowKind, UrlAnswer, UrlState } from '../../../vocabulary/urls.ts';
import type { VisitedSite } from '../compare.ts';

/** Rules, and what else determines the answers of the URLs of a website. */
export interface UrlSite extends Omit<VisitedSite, 'fallbackUrl'> {
  /** of the requests; undefined: any host that serves the rules */
  host: string | undefined;
  /** canonical names of the parameters that identify a page */
  pageParameters: ReadonlySet<string>;
}

/** The state of a URL of the website; undefined for one that it does not know. */
export type StateOf = (url: string) => UrlState | undefined;

export interface Answer {
  answer: Exclude<UrlAnswer, 'accepted'>;
  /** of a lost one */
  reason?: LossReason;
  /** of a dead end: the canonical URL at which the chain ends */
  end?: string;
  /** of a shadowed one: the rule, and how it matches */
  rule?: Pick<Match, 'id' | 'key'>;
  shadow?: ShadowKind;
}

const MAX_HOPS = 20;

/** A request for a canonical URL. */
export function requestFor({ host }: Pick<UrlSite, 'host'>, url: string): MatchRequest {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? null : url.slice(mark + 1);
  return host === undefined ? { path, query } : { path, query, host };
}

/**
 * Returns what a request for a URL gets. A living URL is `living` or `shadowed`, whatever the chain of its rule; any
 * other is answered by the end of its chain. A host that redirects as a whole answers all URLs, living ones too. The
 * fallback of the website is no answer.
 */
export function answerOf(site: UrlSite, request: MatchRequest, state: UrlState | undefined, stateOf: StateOf): Answer {
  const { via, next } = arriveFirst(request, site.hosts);
  if (via.length > 0) return next ? endOf(site, next, via.length, stateOf) : { answer: 'redirected' };
  const match = site.ruleset.match(request, site.options);
  if (!match) return unanswered(state);
  if (state === 'living') return { answer: 'shadowed', rule: match, shadow: shadowKind(match, request) };
  return endOf(site, request, 0, stateOf, match);
}

function unanswered(state: UrlState | undefined): Answer {
  if (state === 'removed') return { answer: 'lost', reason: 'unanswered' };
  return { answer: state === 'living' ? 'living' : 'none' };
}

/** Follows a chain to its end. A loop needs no memory of its addresses: it has more than 20 hops. */
function endOf(site: UrlSite, start: MatchRequest, hopsBefore: number, stateOf: StateOf, first?: Match): Answer {
  const { ruleset, options, hosts, pageParameters } = site;
  let request = start;
  let hops = hopsBefore;
  for (let match = first ?? ruleset.match(request, options); match; match = ruleset.match(request, options)) {
    if (++hops > MAX_HOPS) return { answer: 'lost', reason: 'loop' };
    if (match.location === null) return { answer: 'gone' };
    const { via, next } = arriveAt(request, match.location, hosts);
    hops += via.length;
    if (hops > MAX_HOPS) return { answer: 'lost', reason: 'loop' };
    if (!next) return { answer: 'redirected' };
    request = next;
  }
  const end = ownUrl(addressOf(request), pageParameters).url;
  return stateOf(end) === 'removed' ? { answer: 'lost', reason: 'dead_end', end } : { answer: 'redirected' };
}

/** A rule for the path of the request is `literal`, also if it leaves the query open. */
function shadowKind({ isRegex, key }: Match, { path }: MatchRequest): ShadowKind {
  if (isRegex) return 'pattern';
  if (key === path) return 'literal';
  const rulePath = parseKey(key).path;
  if (rulePath === path) return 'literal';
  return rulePath.endsWith('/') === path.endsWith('/') ? 'case' : 'slash';
}
