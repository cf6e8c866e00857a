import { casesOf, foldPath } from '../../../resolver/spelling/case-fold.ts';
import { slashTwin } from '../../../resolver/precedence.ts';
import { parseLocation } from '../../../resolver/location.ts';
import { parseKey } from '../../../resolver/rule.ts';
import { locationFor } from '../../../resolver/target.ts';
import { ownNames } from './passed-query.ts';
import { requiredReason } from './required-query.ts';
import type { Inexpressible, LiteralServerRule, LocationText, ServerSite, TargetedRule } from './server-format.ts';

/** Converts a literal, or returns the reason why no server can express it. */
export function literalRule(rule: TargetedRule, site: ServerSite): LiteralServerRule | Inexpressible {
  const { website } = site;
  const { key, newPath, companions } = rule;
  if (key.includes('?')) return requiredRule(rule, site);
  if (/%00/.test(key)) return { reason: 'servers reject paths with a zero byte' };
  if (!website.caseSensitive) {
    if (hasOtherCases(key)) return { reason: 'the website ignores case, and the path has non-ASCII letters' };
    if (companions.some((other) => other.toLowerCase() === key.toLowerCase()))
      return { reason: 'another redirect differs from it only by case' };
  }
  const target = newPath === null ? null : targetOf(newPath);
  const names = target && website.query === 'pass' ? ownNames(target.base) : [];
  if ('reason' in names) return names;
  const twin = website.trailingSlash === 'ignore' ? slashTwin(key) : undefined;
  const isTaken = companions.some((other) =>
    website.caseSensitive ? other === twin : other.toLowerCase() === twin?.toLowerCase(),
  );
  const paths = twin === undefined || isTaken ? [key] : [key, twin];
  const hasCaseTwin = companions.some((other) => differByCase(other, key, website.trailingSlash));
  const base = { kind: 'literal', statusCode: rule.statusCode, ownNames: names, hasCaseTwin } as const;
  if (newPath === null || target === null || !redirectsToOneOf(newPath, paths, site)) return { ...base, paths, target };
  // A correction of the final slash, such as /a -> /a/, must not match a request for its target.
  if (website.caseSensitive && newPath.split('#', 1)[0] === twin) return { ...base, paths: [key], target };
  return { reason: 'it redirects to another spelling of its own path' };
}

/** Converts a literal with a required query as one without, and adds the query. */
function requiredRule(rule: TargetedRule, site: ServerSite): LiteralServerRule | Inexpressible {
  const { website } = site;
  const { path, pairs } = parseKey(rule.key);
  const reason = requiredReason(rule.key);
  if (reason !== undefined) return { reason };
  const isExact = website.caseSensitive && website.trailingSlash === 'exact';
  if (rule.companions.length > 0 && !isExact)
    return { reason: 'another redirect with a required query has a path that differs by its final slash or by case' };
  const paths = [path, slashTwin(path) ?? path];
  const leadsBack = rule.newPath !== null && redirectsToOneOf(rule.newPath, paths, site);
  if (leadsBack && rule.newPath?.includes('?')) return { reason: 'it redirects to its own path with a query' };
  // Its Location never has the required pair, so it is never the requested URL.
  const converted = literalRule({ ...rule, key: path, newPath: leadsBack ? null : rule.newPath, companions: [] }, site);
  if ('reason' in converted) return converted;
  const target = rule.newPath === null ? null : targetOf(rule.newPath);
  return { ...converted, target, required: pairs[0] ?? '' };
}

/** Compares two companions (see redirects/export/server-rows.ts). If the final slash counts, it alone makes paths different. */
function differByCase(one: string, other: string, trailingSlash: 'ignore' | 'exact'): boolean {
  if (trailingSlash === 'exact') return one.toLowerCase() === other.toLowerCase();
  return one.replace(/\/$/, '') !== other.replace(/\/$/, '');
}

/** True if a canonical path has non-ASCII letters with an upper and a lower case. */
export function hasOtherCases(path: string): boolean {
  const escapes = path.match(/(?:%[89A-F][0-9A-F])+/g) ?? [];
  return escapes.some((text) => {
    try {
      return [...decodeURIComponent(text)].some((letter) => casesOf(letter).length > 1);
    } catch {
      return false;
    }
  });
}

/** True if the target is one of the paths on a host of the website. Ignores the query. */
function redirectsToOneOf(newPath: string, paths: string[], { website, ownHosts }: ServerSite): boolean {
  const { host, path } = parseLocation(newPath);
  if (host !== undefined && !ownHosts.has(host)) return false;
  return paths.some((own) => (website.caseSensitive ? own === path : foldPath(own) === foldPath(path)));
}

/** The Location without the query of a request. */
function targetOf(newPath: string): LocationText {
  const location = locationFor(newPath, null, 'drop', []);
  const hash = location.indexOf('#');
  const base = hash < 0 ? location : location.slice(0, hash);
  return { base, fragment: hash < 0 ? '' : location.slice(hash) };
}
