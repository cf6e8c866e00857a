/** Live checks: what is asked, what came back, and what all processes must know to ask politely. */
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, sql, text, uniqueIndex } from '../drizzle.ts';
import type { CheckKind, CheckState, CheckStatus, CheckTrigger } from '../../vocabulary/checks.ts';
import { byActor, bytea, bytewise, createdAt, int8, ofEnvironment, partialIndex, time } from './columns.ts';

/** An account has at most one that is queued or running. */
export const checks = pgTable(
  'checks',
  {
    id: text().primaryKey(),
    accountId: integer().notNull(),
    ...ofEnvironment,
    kind: text().$type<CheckKind>().notNull(),
    trigger: text().$type<CheckTrigger>().notNull().default('manual'),
    /** of scheduled ones: the start of the first of those that ask each target once */
    cycleStartedAt: time(),
    status: text().$type<CheckStatus>().notNull(),
    error: text(),
    /** of redirects, or of URLs (kind urls); null: all */
    filter: jsonb(),
    /** where own paths are asked; null: the website has no verified host there */
    baseUrl: text(),
    /** requests a second to the host of base_url */
    rate: smallint().notNull(),
    total: integer().notNull(),
    /** redirects whose target cannot be asked */
    skipped: integer().notNull(),
    /** targets left to the next scheduled check; redirects beyond the sample of a deployment */
    postponed: integer().notNull().default(0),
    /** targets with a first state */
    done: integer().notNull().default(0),
    estimatedEnd: time().notNull(),
    /** when the next target is due, retries included; null: nothing is left */
    nextAt: time(),
    /** the process that runs it, while its lease lasts */
    lease: text(),
    leaseUntil: time(),
    startedAt: time(),
    endedAt: time(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [
    index('checks_website_id_idx').on(t.websiteId, t.createdAt.desc().nullsFirst()),
    index('checks_account_id_idx').on(t.accountId, t.createdAt),
    uniqueIndex('checks_running_key')
      .on(t.accountId)
      .where(sql`${t.status} in ('queued', 'running')`),
    partialIndex('checks_next_at_idx', sql`${t.nextAt} is not null`, t.nextAt),
  ],
);

/** The queue and the results of a check, one row per distinct URL. `n` ascends by falling weight. */
export const checkTargets = pgTable(
  'check_targets',
  {
    checkId: text().notNull(),
    n: integer().notNull(),
    websiteId: integer().notNull(),
    url: bytewise().notNull(),
    /** of the URL, without port */
    host: text().notNull(),
    /** on the origin of base_url */
    isOwn: boolean().notNull(),
    weight: int8().notNull(),
    /** kind sources: what the rule says */
    expectedStatus: smallint(),
    expectedLocation: text(),
    /** the last confirmed state that an earlier check of the kind found; null without one */
    before: text().$type<CheckState>(),
    /** null: its state is final */
    dueAt: time(),
    tries: smallint().notNull().default(0),
    /** since when the host asks to wait */
    waitingSince: time(),
    state: text().$type<CheckState>(),
    reason: text(),
    /** false: an error that will be tried again */
    confirmed: boolean().notNull().default(false),
    /** of the first response, and its Location */
    status: smallint(),
    location: text(),
    /** where its chain ends */
    endUrl: text(),
    note: text(),
    durationMs: integer(),
    checkedAt: time(),
  },
  (t) => [
    primaryKey({ columns: [t.checkId, t.n] }),
    partialIndex('check_targets_due_idx', sql`${t.dueAt} is not null`, t.checkId, t.n),
    index('check_targets_state_idx').on(t.checkId, t.state, t.n),
    // Finds the history of a URL. It may have some KiB; its hash is 8 bytes.
    index('check_targets_url_idx').on(t.websiteId, sql`hashtextextended(url, 0)`, t.checkedAt.desc().nullsFirst()),
  ],
);

/** The redirects that a target of a check concerns. */
export const checkRules = pgTable(
  'check_rules',
  {
    checkId: text().notNull(),
    n: integer().notNull(),
    redirectId: int8().notNull(),
    websiteId: integer().notNull(),
    /** kind targets: its new_path when the check was created */
    target: text(),
  },
  (t) => [primaryKey({ columns: [t.checkId, t.n, t.redirectId] }), index('check_rules_website_id_idx').on(t.websiteId)],
);

/**
 * Times of checks that start by themselves. `schedule`, `deployment`: the last time of a schedule, or of a deployment,
 * for which a check was started. `options`: when the schedule was set.
 */
export const checkStarts = pgTable(
  'check_starts',
  { ...ofEnvironment, what: text().$type<'schedule' | 'deployment' | 'options'>().notNull(), at: time().notNull() },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.what] })],
);

/** The last state of a redirect's target. It is that of the redirect only while new_path is `target`. */
export const targetStates = pgTable(
  'target_states',
  {
    websiteId: integer().notNull(),
    redirectId: int8().notNull(),
    target: text().notNull(),
    state: text().$type<CheckState>().notNull(),
    reason: text(),
    checkedAt: time().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.redirectId] }),
    index('target_states_state_idx').on(t.websiteId, t.state, t.redirectId),
  ],
);

/** Basic credentials for one own host of a website. `secret` is user and password, sealed. */
export const checkCredentials = pgTable('check_credentials', {
  websiteId: integer().primaryKey(),
  hostname: text().notNull(),
  secret: bytea().notNull(),
});

/** When a host may be asked next, over all accounts and processes. */
export const checkHosts = pgTable(
  'check_hosts',
  {
    host: bytewise().primaryKey(),
    nextAt: time().notNull(),
    /** it asked to wait until then */
    heldUntil: time(),
    /** of each request in flight, when its lease ends */
    inFlight: time()
      .array()
      .notNull()
      .default(sql`'{}'`),
  },
  (t) => [index('check_hosts_next_at_idx').on(t.nextAt)],
);

/** The robots.txt of each origin, parsed. */
export const checkRobots = pgTable(
  'check_robots',
  { origin: bytewise().primaryKey(), rules: jsonb().notNull(), fetchedAt: time().notNull() },
  (t) => [index('check_robots_fetched_at_idx').on(t.fetchedAt)],
);
