/**
 * The response to a visitor: status, headers and body, from live rules and the options of a website. The service, the
 * edge agent and the edge library all respond with it, so that their responses are the same bytes.
 */
import { canonicalPath } from './spelling/canonical-path.ts';
import { fallbackLocation } from './location.ts';
import { DOMAIN_REDIRECT_ID, domainLocation, type DomainRedirect } from './own-hosts.ts';
import type { Match, MatchOptions } from './rule.ts';
import type { Ruleset } from './ruleset.ts';

/** No rule matches a longer path, and browsers do not send one. */
const MAX_PATH_BYTES = 8_192;

/** A request, as far as the response depends on it. */
export interface Visit {
  /** the target in origin form, as `requestTarget` returns it */
  target: string;
  method: string | undefined;
  /** lower case, without port and final dot */
  host: string;
  /** `http` or `https`; undefined if unknown */
  scheme: string | undefined;
  /** the domain redirect of the host; null if it has none */
  redirectTo: DomainRedirect | null;
}

export interface AnswerOptions extends MatchOptions {
  /** where requests without a matching rule are redirected; null: they get a 404 */
  fallbackUrl: string | null;
}

export interface Answer {
  status: number;
  /** alternates names and values */
  headers: string[];
  /** ASCII; empty for HEAD, whose headers are those of GET */
  body: string;
  /** canonical; undefined if it is too long, which is not counted */
  path: string | undefined;
  /** the rule that decided, if one did */
  match: Match | undefined;
  /** for counting: of the rule, DOMAIN_REDIRECT_ID for a domain redirect, or null if the path is unmatched */
  redirectId: number | null;
}

/**
 * Returns the response to a visit. Appends its headers to `headers`. `now` returns milliseconds since 1970; without
 * rules that have a window it is not called.
 */
export function answerVisit(
  { target, method, host, scheme, redirectTo }: Visit,
  ruleset: Ruleset,
  options: AnswerOptions,
  now: () => number,
  headers: string[],
): Answer {
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const answer: Answer = { status: 414, headers, body: TOO_LONG, path: undefined, match: undefined, redirectId: null };
  let cacheControl = NO_CACHE;
  // A target is ASCII.
  if (rawPath.length <= MAX_PATH_BYTES) {
    const query = mark < 0 ? null : target.slice(mark + 1);
    const path = canonicalPath(rawPath);
    answer.path = path;
    if (redirectTo) cacheControl = setDomainRedirect(answer, redirectTo, rawPath, query);
    else {
      const at = ruleset.isScheduled ? now() : undefined;
      const match = ruleset.match({ path, query, host, scheme }, options, at);
      answer.match = match;
      answer.redirectId = match?.id ?? null;
      if (!match) setUnmatched(answer, options.fallbackUrl, rawPath, query);
      else if (match.location === null) setGone(answer, match.statusCode);
      else {
        setRedirect(answer, match.statusCode, match.location);
        cacheControl = cacheControlOf(match, at);
      }
    }
  }
  headers.push('Cache-Control', cacheControl, 'Content-Type', 'text/plain; charset=utf-8');
  headers.push('Content-Length', String(answer.body.length));
  if (method === 'HEAD') answer.body = '';
  return answer;
}

const TOO_LONG = 'The path is longer than 8 KiB.\n';
const UNMATCHED = 'No redirect for this path.\n';
const GONE: Record<number, string> = {
  410: 'This page is gone.\n',
  451: 'This page is not available for legal reasons.\n',
};

const NO_CACHE = 'no-cache';
const MAX_AGE = 90;
const CACHEABLE = `private, max-age=${MAX_AGE}`;

const isPermanent = (status: number): boolean => status === 301 || status === 308;

/** Permanent redirects are cached, but never beyond the moment at which a window begins or ends that decides here. */
function cacheControlOf({ statusCode, validUntil }: Match, at: number | undefined): string {
  if (!isPermanent(statusCode)) return NO_CACHE;
  if (validUntil === undefined || at === undefined) return CACHEABLE;
  return `private, max-age=${Math.min(MAX_AGE, Math.floor((validUntil - at) / 1000))}`;
}

function setRedirect(answer: Answer, status: number, location: string): void {
  answer.status = status;
  answer.headers.push('X-Redirect-By', 'detour', 'Location', location);
  answer.body = `${status} ${location}\n`;
}

/** Returns the Cache-Control. */
function setDomainRedirect(answer: Answer, to: DomainRedirect, rawPath: string, query: string | null): string {
  answer.redirectId = DOMAIN_REDIRECT_ID;
  setRedirect(answer, to.statusCode, domainLocation(to, rawPath, query));
  return isPermanent(to.statusCode) ? CACHEABLE : NO_CACHE;
}

function setGone(answer: Answer, status: number): void {
  answer.status = status;
  answer.headers.push('X-Redirect-By', 'detour');
  answer.body = GONE[status] ?? '';
}

function setUnmatched(answer: Answer, fallbackUrl: string | null, rawPath: string, query: string | null): void {
  // `OPTIONS *` has no path to append to the fallback.
  if (fallbackUrl !== null && rawPath.startsWith('/'))
    return setRedirect(answer, 302, fallbackLocation(fallbackUrl, rawPath, query));
  answer.status = 404;
  answer.body = UNMATCHED;
}
