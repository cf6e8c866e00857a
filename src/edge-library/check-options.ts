/** Checks the options of an edge. Every error names the option or the rule, and what to write instead. */
import type { FeedSource } from '../feed-client/request-feed.ts';
import { hostNames } from '../resolver/host-table.ts';
import type { Rule } from '../resolver/rule.ts';
import { ENVIRONMENTS, isEnvironment } from '../vocabulary/environment.ts';
import { type Issue, listIssues } from '../vocabulary/error.ts';
import { omitUndefined } from '../vocabulary/omit-undefined.ts';
import { checkRules, type Report } from './check-rules.ts';
import type { FollowedFeed, SiteOptions } from './rules-source.ts';
import type { EdgeOptions, EdgeWarning } from './types.ts';

export interface CheckedOptions {
  site: SiteOptions;
  /** whether the application redirects at a host; lower case, without port and final dot */
  isOwnHost: (host: string) => boolean;
  onlyOn404: boolean;
  trustScheme: boolean;
  now: () => number;
  /** empty with a feed */
  rules: Rule[];
  feed: FollowedFeed | undefined;
}

type Values = Record<string, unknown>;

const BEHAVIOUR = 'case_sensitive trailing_slash query fallback_url hosts onlyOn404 trustScheme now'.split(' ');
const FEED = 'url key website environment name onError fetch'.split(' ');

/** Returns the options with their defaults. Throws a TypeError that lists all problems, except those of single rules. */
export function checkOptions(options: EdgeOptions): CheckedOptions {
  const issues: Issue[] = [];
  const report: Report = (path, message) => void issues.push({ path, code: 'VALIDATION_ERROR', message });
  const values: Values = { ...options };
  const hasRules = values['rules'] !== undefined;
  const known = [...BEHAVIOUR, ...(hasRules ? ['rules', 'onWarning'] : FEED)];
  for (const name of Object.keys(values)) {
    if (values[name] === undefined || known.includes(name)) continue;
    report(name, hasRules && FEED.includes(name) ? 'is for a feed; omit it, or omit rules' : unknown(known));
  }
  if (!hasRules && values['url'] === undefined)
    report('rules', 'pass rules, or url, key and website to follow the feed of a website');
  const site = checkSite(values, report);
  const checked: CheckedOptions = {
    site,
    isOwnHost: checkHosts(values['hosts'], report),
    onlyOn404: flag(values, 'onlyOn404', report) ?? false,
    trustScheme: flag(values, 'trustScheme', report) ?? false,
    now: 'now' in options && typeof options.now === 'function' ? options.now : Date.now,
    rules: [],
    feed: !hasRules && values['url'] !== undefined ? checkFeed(values, report) : undefined,
  };
  for (const name of ['now', 'onWarning'])
    if (values[name] !== undefined && !isFunction(values[name])) report(name, 'must be a function');
  const warnings: EdgeWarning[] = [];
  if (hasRules) checked.rules = checkRules(values['rules'], report, (warning) => void warnings.push(warning));
  if (issues.length > 0) throw new TypeError(`createEdge: ${listIssues(issues).details}`);
  if ('onWarning' in options && options.onWarning) warnings.forEach(options.onWarning);
  else if (warnings.length > 0) console.warn(`createEdge skips invalid rules: ${textOf(warnings)}`);
  return checked;
}

const textOf = (warnings: EdgeWarning[]): string =>
  listIssues(
    warnings.map(({ index, field, message }) => ({
      path: field === '' ? `rules[${index}]` : `rules[${index}].${field}`,
      code: 'VALIDATION_ERROR',
      message,
    })),
  ).details;

const unknown = (known: string[]): string => `is not an option; the options are ${known.join(', ')}`;

function checkSite(values: Values, report: Report): SiteOptions {
  const site: SiteOptions = omitUndefined({
    caseSensitive: flag(values, 'case_sensitive', report),
    trailingSlash: choice(values, 'trailing_slash', ['ignore', 'exact'] as const, report),
    query: choice(values, 'query', ['pass', 'drop', 'exact'] as const, report),
  });
  const fallback = values['fallback_url'];
  if (fallback === null || (typeof fallback === 'string' && isFallback(fallback))) site.fallbackUrl = fallback;
  else if (fallback !== undefined)
    report('fallback_url', 'must be null, or an http or https URL without query, such as https://www.example.com');
  return site;
}

/** As in websites/check-website.ts. */
const isFallback = (url: string): boolean =>
  /^https?:\/\/[\x21-\x7e]+$/.test(url) && !/[\\?#@]/.test(url) && URL.canParse(url);

const HOST = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function checkHosts(hosts: unknown, report: Report): (host: string) => boolean {
  if (hosts === undefined) return () => true;
  if (!Array.isArray(hosts)) report('hosts', 'must be a list of hosts such as shop.example');
  const known: { hostname: string }[] = [];
  for (const [index, host] of Array.isArray(hosts) ? hosts.entries() : []) {
    const hostname = typeof host === 'string' ? host.toLowerCase() : '';
    if (HOST.test(hostname)) known.push({ hostname });
    else report(`hosts[${index}]`, 'must be a host in ASCII without scheme and port, such as shop.example');
  }
  const names = hostNames(known);
  return (host) => names.has(host);
}

function flag(values: Values, name: string, report: Report): boolean | undefined {
  const value = values[name];
  if (value === undefined || typeof value === 'boolean') return value;
  report(name, 'must be true or false');
  return undefined;
}

function choice<T extends string>(values: Values, name: string, allowed: readonly T[], report: Report): T | undefined {
  const value = values[name];
  const found = allowed.find((one) => one === value);
  if (value !== undefined && found === undefined) report(name, `must be one of ${allowed.join(', ')}`);
  return found;
}

function checkFeed(values: Values, report: Report): FollowedFeed {
  const { url, key, website, name, environment = 'production', onError, fetch: ownFetch } = values;
  const isUrl = typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url);
  if (!isUrl) report('url', 'must be the URL of the service, such as https://detour.example.com');
  const isKey = typeof key === 'string' && key !== '';
  if (!isKey) report('key', 'must be an API key; read scope is enough');
  const id = String(website ?? '');
  if (!/^[1-9]\d{0,15}$/.test(id)) report('website', 'must be the id of a website, such as "7"');
  const isKnown = typeof environment === 'string' && isEnvironment(environment);
  if (!isKnown) report('environment', `must be one of ${ENVIRONMENTS.join(', ')}`);
  const isName = name === undefined || (typeof name === 'string' && name !== '');
  if (!isName) report('name', 'must be a text that names this application in the list of agents');
  if (onError !== undefined && !isFunction(onError)) report('onError', 'must be a function');
  if (ownFetch !== undefined && !isFunction(ownFetch)) report('fetch', 'must be a function like the global fetch');
  const source: FeedSource = {
    url: isUrl ? url.replace(/\/+$/, '') : '',
    apiKey: isKey ? key : '',
    websiteId: id,
    environment: isKnown ? environment : 'production',
    agent: isName && name !== undefined ? { name, kind: 'library' } : undefined,
    fetch: isFunction(ownFetch) ? (ownFetch as typeof fetch) : (...request) => fetch(...request),
  };
  return { source, onError: isFunction(onError) ? (onError as (error: Error) => void) : () => {} };
}

const isFunction = (value: unknown): value is (...values: never[]) => unknown => typeof value === 'function';
