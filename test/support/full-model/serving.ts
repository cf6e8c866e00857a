/** The response to a visitor, by the plainest means: all rules in order of precedence. */
import { canonicalPath } from '../../../src/resolver/spelling/canonical-path.ts';
import type { Redirect } from './model.ts';
import { keyOf } from './model.ts';

export interface Served {
  status: number;
  location: string | null;
  cacheControl: string;
  id: number | null;
}

/** Requests to every environment after every step. */
export const VISITED = [
  '/a',
  '/a/',
  '/b',
  '/b/',
  '/b/x',
  '/c/d',
  '/%C3%A4',
  '/x%20y',
  '/p',
  '/p?k=1',
  '/p/?x=2&k=1',
  '/p?k=2',
  '/sale',
  '/salt?y=1',
  '/s',
];

interface Match {
  rule: Redirect;
  location: string | null;
}

/** Matching rules, windows aside, the winner first. */
function matching(rules: Redirect[], url: string): Match[] {
  const [path = '', query] = url.split('?');
  const pairs = query?.split('&') ?? [];
  const canonical = canonicalPath(path);
  const other = canonical.endsWith('/') ? canonical.slice(0, -1) : `${canonical}/`;
  const found: { rank: number[]; match: Match }[] = [];
  for (const rule of rules) {
    const { is_regex, new_path } = rule.fields;
    const key = keyOf(rule.fields);
    if (is_regex) {
      const parts = new RegExp(`^(?:${key})$`).exec(canonical);
      const target = new_path?.replace('$1', parts?.[1] ?? '') ?? null;
      const fixed = /^[^(.]*/.exec(key)?.[0].length ?? 0;
      if (parts) found.push({ rank: [3, -fixed, -key.length], match: { rule, location: withQuery(target, pairs) } });
      continue;
    }
    const [rulePath, required] = key.split('?');
    const needed = required?.split('&') ?? [];
    if (!needed.every((pair) => pairs.includes(pair))) continue;
    const rest = pairs.filter((pair) => !needed.includes(pair));
    const slash = rulePath === canonical ? 0 : rulePath === other && rulePath !== '' ? 1 : undefined;
    if (slash === undefined) continue;
    const kind = needed.length > 0 ? 0 : 1 + slash;
    const rank = [kind, slash, -needed.length];
    found.push({ rank, match: { rule, location: withQuery(new_path, rest) } });
  }
  return found.toSorted((a, b) => compare(a.rank, b.rank)).map(({ match }) => match);
}

function compare(a: number[], b: number[]): number {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value - (b[at] ?? 0);
  return 0;
}

function withQuery(target: string | null, pairs: string[]): string | null {
  return target === null || pairs.length === 0 ? target : `${target}?${pairs.join('&')}`;
}

/** The response at a time in milliseconds. */
export function serve(rules: Redirect[], url: string, now: number): Served {
  let validUntil = Infinity;
  for (const { rule, location } of matching(rules, url)) {
    const from = rule.fields.active_from === null ? -Infinity : Date.parse(rule.fields.active_from);
    const until = rule.fields.active_until === null ? Infinity : Date.parse(rule.fields.active_until);
    if (until <= now) continue;
    if (from > now) {
      validUntil = Math.min(validUntil, from);
      continue;
    }
    validUntil = Math.min(validUntil, until);
    const { status_code: status } = rule.fields;
    const seconds = Math.min(90, Math.floor((validUntil - now) / 1_000));
    const cacheControl = status === 301 || status === 308 ? `private, max-age=${seconds}` : 'no-cache';
    return { status, location, cacheControl, id: rule.id };
  }
  return { status: 404, location: null, cacheControl: 'no-cache', id: null };
}
