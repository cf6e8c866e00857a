/** Reads robots.txt (RFC 9309) for this checker: its own group binds it, the group of all is for search engines. */

const AGENT = 'detour-check';
/** The longest Crawl-delay of the group `*` that is obeyed, in seconds. */
const MAX_DELAY_OF_ALL = 30;
/** A host that asks for a longer delay, or has more rules for this checker, is not asked. */
const MAX_DELAY = 600;
const MAX_RULES = 1_000;
const NOTHING: RobotsRules = { rules: [{ path: '/', allow: false }], crawlDelaySeconds: null };

/** Plain data, so that it can be stored. */
export interface RobotsRules {
  /** of the groups `Detour-Check` only; a path is normalized, and may have `*` and a final `$` */
  rules: { path: string; allow: boolean }[];
  /** the least seconds between two requests; null if the host asks for no delay */
  crawlDelaySeconds: number | null;
}

export const NO_ROBOTS: RobotsRules = { rules: [], crawlDelaySeconds: null };

/** Parses a robots.txt; lines that it does not know are ignored. Groups of one agent are merged. */
export function parseRobots(text: string): RobotsRules {
  const own: RobotsRules = { rules: [], crawlDelaySeconds: null };
  const all: RobotsRules = { rules: [], crawlDelaySeconds: null };
  let isOwnNamed = false;
  let current: RobotsRules[] = [];
  let isHead = false;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*(user-agent|allow|disallow|crawl-delay)\s*:([^#]*)/i.exec(line) ?? [];
    if (key.toLowerCase() === 'user-agent') {
      if (!isHead) current = [];
      isHead = true;
      const agent = agentOf(value.trim());
      isOwnNamed ||= agent === AGENT;
      if (agent === AGENT || agent === '*') current.push(agent === AGENT ? own : all);
    } else if (key !== '') {
      isHead = false;
      for (const group of current)
        if (group === own ? own.rules.length <= MAX_RULES : /delay/i.test(key))
          addRule(group, key.toLowerCase(), value.trim());
    }
  }
  if (isOwnNamed) return own.rules.length > MAX_RULES || (own.crawlDelaySeconds ?? 0) > MAX_DELAY ? NOTHING : own;
  const delay = all.crawlDelaySeconds;
  return { rules: [], crawlDelaySeconds: delay && Math.min(delay, MAX_DELAY_OF_ALL) };
}

/** True if a path with its query may be requested. The longest pattern decides, on a tie the one that allows. */
export function isAllowed({ rules }: RobotsRules, path: string): boolean {
  const normal = normalize(path);
  if (normal === '/robots.txt') return true;
  const [best] = rules
    .filter((rule) => matches(rule.path, normal))
    .toSorted((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow));
  return best?.allow ?? true;
}

function addRule(group: RobotsRules, field: string, value: string): void {
  if (field !== 'crawl-delay') {
    if (value !== '') group.rules.push({ path: normalize(value), allow: field === 'allow' });
  } else if (/^\d+(\.\d+)?$/.test(value)) {
    group.crawlDelaySeconds = Math.max(group.crawlDelaySeconds ?? 0, Number(value));
  }
}

/** The product token, without a version. */
function agentOf(value: string): string {
  return value.startsWith('*') ? '*' : (/^[a-z_-]+/i.exec(value)?.[0] ?? '').toLowerCase();
}

/** One spelling of a path: octets beyond ASCII are escaped, unreserved characters are not, in capital hex digits. */
function normalize(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\u0021-\u007e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    });
}

/** Finds each part between two `*` at its first place, so that the time is linear. */
function matches(pattern: string, path: string): boolean {
  const [first = '', ...parts] = (pattern.endsWith('$') ? pattern.slice(0, -1) : `${pattern}*`).split('*');
  const last = parts.pop();
  if (last === undefined || !path.startsWith(first)) return path === first;
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
