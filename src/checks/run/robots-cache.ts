import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import { at } from '../check.ts';
import type { OwnOrigin } from '../probe/follow.ts';
import type { RobotsRules } from '../probe/robots.ts';

const MAX_ORIGINS = 10_000;

export interface RobotsDeps {
  db: Db;
  clock: Clock;
  /** Reads the robots.txt of an origin. Never rejects: a failure allows everything. */
  fetchRobots: (origin: string, own: OwnOrigin | undefined, signal: AbortSignal) => Promise<RobotsRules>;
  /** Learns how slowly a host wants to be asked. */
  onDelay: (host: string, seconds: number) => void;
}

export interface RobotsQuery {
  origin: string;
  /** how the own origin is asked */
  own?: OwnOrigin | undefined;
  websiteId?: number;
}

export type RobotsCache = ReturnType<typeof createRobotsCache>;

/** The robots.txt of each origin for 24 hours, over all processes. */
export function createRobotsCache({ db, clock, fetchRobots, onDelay }: RobotsDeps) {
  const known = createBoundedCache<{ rules: Promise<RobotsRules>; until: number }>(MAX_ORIGINS);

  async function load(key: string, { origin, own }: RobotsQuery, signal: AbortSignal): Promise<RobotsRules> {
    const [stored] = await queryRows<{ rules: RobotsRules }>(db)`
      select rules from check_robots where origin = ${key} and fetched_at > ${at(clock.now())} - interval '24 hours'`;
    const rules = stored?.rules ?? (await fetchAndStore(key, { origin, own }, signal));
    if (rules.crawlDelaySeconds !== null) onDelay(new URL(origin).hostname, rules.crawlDelaySeconds);
    return rules;
  }

  async function fetchAndStore(key: string, { origin, own }: RobotsQuery, signal: AbortSignal): Promise<RobotsRules> {
    const rules = await fetchRobots(origin, own, signal);
    signal.throwIfAborted();
    await db.execute(sql`
      insert into check_robots (origin, rules, fetched_at)
      values (${key}, ${JSON.stringify(rules)}::jsonb, ${at(clock.now())})
      on conflict (origin) do update set rules = excluded.rules, fetched_at = excluded.fetched_at`);
    return rules;
  }

  return {
    async read(query: RobotsQuery, signal: AbortSignal): Promise<RobotsRules> {
      const now = clock.now().getTime();
      // A host may answer the credentials of a website otherwise than others.
      const key = query.own ? `${query.websiteId} ${query.origin}` : query.origin;
      const cached = known.get(key);
      if (cached && cached.until > now) {
        const rules = await cached.rules.catch(() => undefined);
        // Its check was stopped, which says nothing about this one.
        if (rules) return rules;
      }
      const rules = load(key, query, signal);
      known.set(key, { rules, until: now + DAY_MS });
      // A failure of the database, or of a check that was stopped, is not kept.
      rules.catch(() => known.set(key, { rules, until: 0 }));
      return rules;
    },
  };
}
