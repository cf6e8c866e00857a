/** The canonical form of a website's URLs: equal pages have equal ones, on every host of the website. */
import { isSimplePath, splitTarget } from '../resolver/spelling/canonical-path.ts';
import { canonicalName, canonicalPair, rawParameters } from '../resolver/spelling/query.ts';
import { MAX_URL_BYTES } from '../vocabulary/urls.ts';
import type { ErrorCode } from '../vocabulary/error.ts';
import { hasControlCharacter } from './check-fields.ts';
import { addressParts } from './own-target.ts';

/** The hosts and options that decide about an address of a website. */
export interface UrlRules {
  /** the domain redirect of a host of the website: null if it has none, undefined for another host */
  redirectAt: (host: string) => object | null | undefined;
  /** further hosts that count as the website's */
  fromHosts: ReadonlySet<string>;
  /** canonical names of the parameters that identify a page */
  pageParameters: Names;
}

type Names = Pick<ReadonlySet<string>, 'has'>;

/** In place of `pageParameters`: every parameter identifies the page. */
export const ALL_PARAMETERS: Names = { has: () => true };

/** `cut`: the canonical names of the parameters that do not identify the page. */
export interface OwnUrl {
  url: string;
  cut: string[];
}

/** An address on another host, or on one that redirects as a whole. */
export interface ForeignUrl {
  host: string;
  reason: 'other_host' | 'domain_redirect';
}

export interface InvalidUrl {
  code: ErrorCode;
}

/** Reads an address or a path as a file writes it. */
export function readUrl(text: string, rules: UrlRules): OwnUrl | ForeignUrl | InvalidUrl {
  let target = text;
  if (!text.startsWith('/') || text.startsWith('//')) {
    const address = addressParts(text.startsWith('//') ? `https:${text}` : text);
    if (!address || address.host === '') return { code: 'VALIDATION_ERROR' };
    const redirect = rules.redirectAt(address.host);
    if (redirect === undefined && !rules.fromHosts.has(address.host)) return foreign(address.host, 'other_host');
    if (redirect) return foreign(address.host, 'domain_redirect');
    target = address.path;
  }
  if (isSimplePath(target) && text.length * 3 <= MAX_URL_BYTES) return { url: target, cut: [] };
  if (hasControlCharacter(target)) return { code: 'CONTROL_CHARACTER' };
  const mark = target.indexOf('#');
  const own = ownUrl(mark < 0 ? target : target.slice(0, mark), rules.pageParameters);
  return Buffer.byteLength(text) > MAX_URL_BYTES || own.url.length > MAX_URL_BYTES ? { code: 'TOO_LONG' } : own;
}

/** The canonical URL of a path with its query, without a fragment. It is ASCII. */
export function ownUrl(target: string, pageParameters: Names): OwnUrl {
  if (isSimplePath(target)) return { url: target, cut: [] };
  const { path, query } = splitTarget(target);
  const parameters = rawParameters(query);
  if (parameters.length === 0) return { url: path, cut: [] };
  const kept = parameters.filter((parameter) => pageParameters.has(canonicalName(parameter)));
  const pairs = [...new Set(kept.map(canonicalPair))].sort();
  const cut = parameters.map(canonicalName).filter((name) => !pageParameters.has(name));
  return { url: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`, cut: [...new Set(cut)] };
}

const foreign = (host: string, reason: ForeignUrl['reason']): ForeignUrl => ({ host, reason });
