/** Hits by day, and unmatched paths. */
import { boolean, date, index, jsonb, pgTable, primaryKey, smallint, sql, text } from '../drizzle.ts';
import { bytewise, bytea, time, int8, ofEnvironment } from './columns.ts';

const hitCounts = { hits: int8().notNull(), botHits: int8().notNull(), assistantHits: int8().notNull().default(0) };

/**
 * Sums of the hits of one day (UTC). Known bots count in `bot_hits` only, assistants in `assistant_hits` only; all other
 * columns are about humans.
 */
const dayOfHits = {
  day: date().notNull(),
  ...hitCounts,
  /** the service's own response time in microseconds */
  micros: int8().notNull(),
  /** hits by ISO 3166 code, without those of unknown country */
  countries: jsonb().$type<Record<string, number>>().notNull(),
  /** visitors, not reversible: see hits/counters/visitor-sketch.ts */
  visitors: bytea().notNull(),
  /** human hits by referrer host and by utm_source, a limited number of names: see hits/counters/source-names.ts */
  referrers: jsonb().$type<Record<string, number>>().notNull().default({}),
  utmSources: jsonb().$type<Record<string, number>>().notNull().default({}),
};

/** Hits of a website's redirects, deleted ones included, and unmatched requests. Partitioned by month. */
export const websiteHits = pgTable(
  'website_hits',
  {
    ...ofEnvironment,
    ...dayOfHits,
    /** unmatched requests: 404, or redirected to the website's fallback */
    unmatched: int8().notNull(),
    unmatchedBots: int8().notNull(),
    unmatchedAssistants: int8().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.day] })],
);

/** Hits of a website in each hour of the last days (hits/store/website-hours.ts). */
export const websiteHours = pgTable(
  'website_hours',
  { ...ofEnvironment, hour: time().notNull(), ...hitCounts },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.hour] })],
);

/**
 * Hits of one redirect. Partitioned by month. The index by tier finds the top redirects of a day. A tier is half a
 * doubling of hits: an index of the hits themselves would change with each hit, and double the cost of a write. The
 * index is partial for two reasons. The planner must not use it to find one redirect, as it did in a month without
 * statistics (0.9 ms per row instead of 0.005 ms). And redirects with up to three hits would make a write a third
 * slower.
 */
export const redirectHits = pgTable(
  'redirect_hits',
  {
    ...ofEnvironment,
    redirectId: int8().notNull(),
    ...dayOfHits,
    tier: smallint().generatedAlwaysAs(
      sql`case when hits > 0 then 1 + floor(ln(hits::float8) * 2.885390081777927 + 1e-9) else 0 end`,
    ),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.redirectId, t.environment, t.day] }),
    index('redirect_hits_tier_idx')
      .on(t.websiteId, t.environment, t.day, t.tier.desc().nullsFirst(), t.redirectId)
      .where(sql`${t.tier} > 4`),
  ],
);

/**
 * The last human hit of a redirect; no row: never hit. The indexed `last_hit_minute` is `last_hit_at` without seconds,
 * so that a busy redirect changes the index once a minute and not with every write.
 */
export const redirectActivity = pgTable(
  'redirect_activity',
  {
    ...ofEnvironment,
    redirectId: int8().notNull(),
    lastHitAt: time().notNull(),
    lastHitMinute: time().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.redirectId, t.environment] }),
    index('redirect_activity_last_idx').on(t.websiteId, t.environment, t.lastHitMinute, t.redirectId),
  ],
);

/** Unmatched paths, a limited number per website and environment (hits/store/write-paths.ts). */
export const notFound = pgTable(
  'not_found',
  {
    ...ofEnvironment,
    /** canonical; truncated to 2,048 bytes with an ellipsis, which no canonical path contains */
    path: bytewise().notNull(),
    ...hitCounts,
    /** a path that scanners request from every website */
    noise: boolean().notNull(),
    /** of the last request with a referrer */
    referrerHost: text(),
    firstSeenAt: time().notNull(),
    lastSeenAt: time().notNull(),
    /** an editor has ignored it; it is still counted */
    ignoredAt: time(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.path] })],
);

/** Hits of paths that were evicted from `not_found` because there were too many different ones. */
export const notFoundOther = pgTable(
  'not_found_other',
  { ...ofEnvironment, ...hitCounts, lastSeenAt: time().notNull() },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment] })],
);

/** Requests of assistants and crawlers by name, one of the list of hits/count/assistants.ts. */
export const namedHits = pgTable(
  'named_hits',
  {
    ...ofEnvironment,
    day: date().notNull(),
    name: text().notNull(),
    /** requests that matched a redirect */
    hits: int8().notNull(),
    unmatched: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.day, t.name] }), index('named_hits_day_idx').on(t.day)],
);

/** The last batch of hits of each process. Prevents a second write if the response to a commit was lost. */
export const hitWriters = pgTable('hit_writers', {
  writer: text().primaryKey(),
  batch: int8().notNull(),
  writtenAt: time().notNull(),
});

/**
 * The last batch of hits that an agent has reported. A series is one start of an agent, and numbers its batches from 1.
 * Prevents a second count if a batch arrives twice. No index on changing columns, so that updates stay HOT.
 */
export const hitReports = pgTable(
  'hit_reports',
  {
    ...ofEnvironment,
    agent: text().notNull(),
    series: text().notNull(),
    batch: int8().notNull(),
    reportedAt: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.agent, t.series] })],
);
