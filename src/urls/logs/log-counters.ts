/** The counts of one log in memory, until they are written or turn out to be counted before. */
import { createVisitorCache, type Visitors } from '../../hits/count/visitor.ts';
import type { AgentClass } from '../../hits/count/assistants.ts';
import { countVisit, HITS } from '../../hits/count/count.ts';
import { createSourceCache, rawUtmSource } from '../../hits/count/sources.ts';
import { createPendingCounters, type PendingCounters } from '../../hits/counters/counters.ts';
import { packRedirects } from '../../hits/counters/packed-redirects.ts';
import type { LogLine } from '../../formats/read/logs/log-line.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import type { Asked, LogSite } from './log-site.ts';

/** Why a line was not counted. */
export type Unused = 'invalid' | 'not_ours' | 'unused';

export interface LogCounts extends Record<Unused, number> {
  lines: number;
  counted: number;
  skipped: number;
  /** of the first and the last counted line, in milliseconds; 0 without any */
  from: number;
  until: number;
}

export type UrlHits = Record<(typeof HITS)[AgentClass], number>;

/** Unmatched paths above these numbers count as `other`. */
const LIMITS = { bytes: Infinity, pathsOfSite: 10_000, paths: 50_000 };
/** Counters of redirects in the heap, above which they are packed. */
const PACK_BYTES = 16 * 1024 ** 2;
/** Packed counters of redirects, and number of URLs by day. */
const MAX_BYTES = 256 * 1024 ** 2;
const MAX_URL_DAYS = 500_000;

const ANSWERS_OF_RULES = new Set([301, 302, 303, 307, 308, 410, 451]);
const NOT_FOUND = new Set([404, 410]);

export type LogCounters = ReturnType<typeof createLogCounters>;

export function createLogCounters(websiteId: number, site: LogSite, visitors: Visitors) {
  const cache = createVisitorCache(visitors);
  const sources = createSourceCache();
  const context = { visitors, limits: LIMITS, overflow: { hits: 0, paths: 0 } };
  let pending = createPendingCounters();
  let urlHits = createUrlHits(site, cache);
  let counts = noCounts();

  function countHit(line: LogLine, environment: number, redirectId: number | null, path: string): void {
    const isMatched = redirectId !== null;
    const utmSource = isMatched ? rawUtmSource(line.uri) : undefined;
    const address = cache.addressOf(line.remoteAddr);
    const visit = {
      websiteId,
      environment,
      redirectId,
      path,
      micros: 0,
      at: line.time,
      agent: cache.agentOf(line.userAgent),
      address,
      country: address.country,
      referrer: isMatched ? undefined : line.referer,
      referrerName: isMatched ? sources.referrerName(line.referer) : undefined,
      utmSource: utmSource === undefined ? undefined : sources.utmSourceName(utmSource),
    };
    countVisit(pending, visit, context);
  }

  /** Counts a line for its rule, the unmatched list or its URL. */
  function use(line: LogLine): Unused | undefined {
    const asked = site.asked(line);
    if (asked === 'not_ours') return asked;
    if (line.method !== 'GET' || asked === undefined) return 'unused';
    const { environment, redirectId, path } = asked;
    const { status } = line;
    if (redirectId !== undefined && ANSWERS_OF_RULES.has(status)) countHit(line, environment, redirectId, path);
    else if (NOT_FOUND.has(status)) countHit(line, environment, null, path);
    else return urlHits.count(line, asked);
    return undefined;
  }

  return {
    /** Counts a line, which is undefined if it is invalid. Returns why it was not counted. */
    count(line: LogLine | undefined): Unused | undefined {
      counts.lines++;
      const reason = line ? use(line) : 'invalid';
      if (reason || !line) {
        counts[reason ?? 'invalid']++;
        return reason;
      }
      counts.counted++;
      if (counts.from === 0 || line.time < counts.from) counts.from = line.time;
      if (line.time > counts.until) counts.until = line.time;
      return undefined;
    },
    /** Bounds the memory of the counters: call it after each few lines. Throws TOO_MANY_ITEMS. */
    pack: () => packLarge(pending),
    /** Makes all lines so far ones that were counted before. */
    skip(): void {
      counts = { ...noCounts(), lines: counts.lines, skipped: counts.lines };
      [pending, urlHits] = [createPendingCounters(), createUrlHits(site, cache)];
    },
    result: () => ({ counts, pending, urlHits: urlHits.days }),
  };
}

async function packLarge(pending: PendingCounters): Promise<void> {
  if (pending.bytes < PACK_BYTES) return;
  await runInSlices(packRedirects(pending));
  if (pending.packedBytes > MAX_BYTES) throw tooMany();
}

/** Requests of URLs by number of the day times the number of environments plus environment, then by index of the URL. */
function createUrlHits(site: LogSite, { agentOf }: Pick<Visitors, 'agentOf'>) {
  const days = new Map<number, Map<number, UrlHits>>();
  let size = 0;
  return {
    days,
    /** Counts a line for its URL. The URL is looked up here, because in a large list each lookup waits for memory. */
    count(line: LogLine, asked: Asked): Unused | undefined {
      const url = site.urlIndex(asked, line);
      if (url < 0) return 'unused';
      const key = Math.floor(line.time / DAY_MS) * ENVIRONMENTS.length + asked.environment;
      let urls = days.get(key);
      if (!urls) days.set(key, (urls = new Map<number, UrlHits>()));
      let hits = urls.get(url);
      if (!hits) {
        urls.set(url, (hits = { hits: 0, botHits: 0, assistantHits: 0 }));
        if (++size > MAX_URL_DAYS) throw tooMany();
      }
      hits[HITS[agentOf(line.userAgent).class]]++;
      return undefined;
    },
  };
}

const noCounts = (): LogCounts => ({
  ...{ lines: 0, counted: 0, skipped: 0, not_ours: 0, invalid: 0, unused: 0 },
  ...{ from: 0, until: 0 },
});

const tooMany = () =>
  invalid(
    'body',
    'names too many different redirects and URLs of different days; nothing was applied, split the log',
    'TOO_MANY_ITEMS',
  );

const LETTER = /[\p{L}\p{M}\u0080-\u00ff]/gu;
const MAX_SHOWN = 200;

/** An example without addresses, users, queries and agents: of an invalid line only its form is known. */
export function maskedLine(text: string, line: LogLine | undefined): string {
  if (!line) return text.slice(0, MAX_SHOWN).replace(/\d/g, '0').replace(LETTER, 'a');
  const path = line.uri.split('?', 1)[0] ?? '';
  const query = path.length < line.uri.length ? '?*' : '';
  return `${line.method} ${line.host}${path}`.slice(0, MAX_SHOWN) + `${query} ${line.status}`;
}

/** The day of a line is retained, and it is not in the future by more than the clocks of machines differ. */
export function createTimeCheck(now: Date, retentionDays: number): (time: number) => boolean {
  const oldest = Math.floor(now.getTime() / DAY_MS) * DAY_MS - retentionDays * DAY_MS;
  const latest = now.getTime() + MAX_AHEAD_MS;
  return (time) => time >= oldest && time <= latest;
}
const MAX_AHEAD_MS = 5 * 60_000;
