import { casesOf, foldPath } from '../../../resolver/case-fold.ts';
import { slashTwin } from '../../../resolver/precedence.ts';
import { parseLocation } from '../../../resolver/location.ts';
import { isAbsolute, locationFor } from '../../../resolver/target.ts';
import type { Inexpressible, LiteralServerRule, LocationText, ServerSite } from './server-format.ts';
import type { TargetedRule } from './server-rows.ts';

/** A literal as servers can have it, or why none can: what it would take is what their configurations have no words for. */
export function literalRule(rule: TargetedRule, site: ServerSite): LiteralServerRule | Inexpressible {
  const { website } = site;
  const { key, newPath, companions } = rule;
  if (key.includes('?')) return { reason: 'it requires a query' };
  if (/%00/.test(key)) return { reason: 'servers refuse paths with a zero byte' };
  if (!website.caseSensitive) {
    if (hasOtherCases(key)) return { reason: 'the website ignores case, and letters beyond ASCII have one' };
    if (companions.some((other) => other.toLowerCase() === key.toLowerCase()))
      return { reason: 'another rule differs from it by case alone' };
  }
  const target = newPath === null ? null : targetOf(newPath, website.query);
  if (target && 'reason' in target) return target;
  const twin = website.trailingSlash === 'ignore' ? slashTwin(key) : undefined;
  const isTaken = companions.some((other) => same(other, twin ?? '', website.caseSensitive));
  const paths = twin === undefined || isTaken ? [key] : [key, twin];
  const hasCaseTwin = companions.some((other) => differByCase(other, key, website.trailingSlash));
  const { id, oldPath, statusCode } = rule;
  const base = { kind: 'literal', id, oldPath, statusCode, hasCaseTwin } as const;
  if (newPath === null || target === null || !leadsAmong(newPath, paths, site))
    return { ...base, paths, target };
  // The slash that is ignored but for its own correction, as in /a -> /a/: the request for the target is not answered.
  if (website.caseSensitive && newPath.split('#', 1)[0] === twin) return { ...base, paths: [key], target };
  return { reason: 'it leads to another spelling of its own address' };
}

/** Of two paths that are alike (server-rows.ts): where the final slash counts, it keeps them apart by itself. */
function differByCase(one: string, other: string, trailingSlash: 'ignore' | 'exact'): boolean {
  if (trailingSlash === 'exact') return one.toLowerCase() === other.toLowerCase();
  return one.replace(/\/$/, '') !== other.replace(/\/$/, '');
}

function same(one: string, other: string, caseSensitive: boolean): boolean {
  return caseSensitive ? one === other : one.toLowerCase() === other.toLowerCase();
}

/** Has a canonical path letters beyond ASCII that have a case? */
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

/** Does the target lead to one of the paths on a host of the website, whatever its case and query? */
function leadsAmong(newPath: string, paths: string[], { website }: ServerSite): boolean {
  const { host, path } = parseLocation(newPath);
  if (host !== undefined && !website.hosts.some(({ hostname }) => hostname === host)) return false;
  return paths.some((own) => (website.caseSensitive ? own === path : foldPath(own) === foldPath(path)));
}

/** The Location without a request's query, and where that goes. */
export function targetOf(newPath: string, query: 'pass' | 'drop' | 'exact'): LocationText | Inexpressible {
  const location = locationFor(newPath, null, 'drop', []);
  const hash = location.indexOf('#');
  const base = hash < 0 ? location : location.slice(0, hash);
  if (query === 'pass' && base.includes('?')) return { reason: PARAMETERS_MEET };
  return { base, fragment: hash < 0 ? '' : location.slice(hash) };
}

export const PARAMETERS_MEET =
  'its target has parameters of its own, which those of the request would have to be compared with';

/** The address of a target with a host of its own, `https://host/...`; else the path. */
export function absoluteTarget(base: string, host: string): string {
  return isAbsolute(base) ? base : `https://${host}${base}`;
}
