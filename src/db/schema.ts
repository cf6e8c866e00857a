/**
 * Every table and index. Column names are the camelCase names in snake_case (drizzle `casing`).
 * What drizzle cannot say (fillfactor, partitions, the revision trigger) is written into the migration by hand.
 * There is no foreign key from the large tables: it takes a COPY of 1,000,000 redirects from 5.4 to 7.5-8.9 s.
 */
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { Environment } from '../vocabulary/environment.ts';
import type { EventKind } from '../vocabulary/event.ts';
import type { Plan } from '../vocabulary/plan.ts';
import type { Role, Scope } from '../vocabulary/actor.ts';

/** Text compared byte by byte: the order of exports and of the resolver, and the cheapest index. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const time = () => timestamp({ withTimezone: true });
const createdAt = () => time().notNull().defaultNow();

export const accounts = pgTable('accounts', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  plan: text().$type<Plan>().notNull(),
  createdAt: createdAt(),
});

export const users = pgTable(
  'users',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    /** trimmed and in lower case, as it is compared */
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    passwordHash: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [unique('users_email_key').on(t.email), index('users_account_id_idx').on(t.accountId)],
);

export const sessions = pgTable(
  'sessions',
  {
    tokenHash: bytea().primaryKey(),
    /** shown to the user to end it; not the token */
    id: text().notNull().unique('sessions_id_key'),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userAgent: text(),
    createdAt: createdAt(),
    /** slid at most hourly, so that a read is no write */
    seenAt: createdAt(),
    expiresAt: time().notNull(),
  },
  (t) => [index('sessions_user_id_idx').on(t.userId), index('sessions_expires_at_idx').on(t.expiresAt)],
);

/** Failed sign-ins by e-mail (hashed: the address may not be a user's), for the throttle over all processes. */
export const signInFailures = pgTable(
  'sign_in_failures',
  { emailHash: bytea().notNull(), at: createdAt() },
  (t) => [index('sign_in_failures_idx').on(t.emailHash, t.at), index('sign_in_failures_at_idx').on(t.at)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    scope: text().$type<Scope>().notNull(),
    keyHash: bytea().notNull().unique('api_keys_key_hash_key'),
    createdAt: createdAt(),
    expiresAt: time(),
    revokedAt: time(),
    usedAt: time(),
  },
  (t) => [index('api_keys_account_id_idx').on(t.accountId)],
);

/** fillfactor 50: head_rev changes with every write and must stay a HOT update. */
export const websites = pgTable(
  'websites',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    caseSensitive: boolean().notNull().default(true),
    trailingSlash: text().$type<'ignore' | 'exact'>().notNull().default('ignore'),
    query: text().$type<'pass' | 'drop' | 'exact'>().notNull().default('pass'),
    fallbackUrl: text(),
    allowedTargetHosts: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    autoDeploy: boolean().notNull().default(true),
    onLoop: text().$type<'warn' | 'fail'>().notNull().default('warn'),
    /** the website's clock: every writer takes the next one under this row's lock */
    headRev: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: createdAt(),
    /** when hosts or options last changed, for processes that missed a NOTIFY */
    changedAt: createdAt(),
    deletingSince: time(),
  },
  (t) => [
    index('websites_account_id_idx').on(t.accountId, t.id),
    index('websites_changed_at_idx').on(t.changedAt),
  ],
);

export const websiteHosts = pgTable(
  'website_hosts',
  {
    hostname: bytewise().primaryKey(),
    websiteId: integer()
      .notNull()
      .references(() => websites.id, { onDelete: 'cascade' }),
    environment: text().$type<Environment>().notNull(),
    position: integer().notNull(),
  },
  (t) => [index('website_hosts_website_id_idx').on(t.websiteId)],
);

/**
 * The working state. `key` is what is unique in a website: the canonical form of a literal, pairs of a required query
 * sorted, or the text of a pattern; the website's options never enter it. `in_x` is the revision since which this rule is
 * targeted at x (null: not targeted). `rev` is the last change of what is served; notes and group do not move it.
 * fillfactor 48 and no further index on what changes: a rewrite of every target stays a HOT update.
 */
export const redirects = pgTable(
  'redirects',
  {
    id: bigint({ mode: 'number' }).notNull().generatedByDefaultAsIdentity(),
    websiteId: integer().notNull(),
    key: bytewise().notNull(),
    oldPath: text().notNull(),
    newPath: text(),
    statusCode: smallint().notNull(),
    isRegex: boolean().notNull(),
    groupId: text(),
    notes: text(),
    rev: integer().notNull(),
    inProd: integer(),
    inStaging: integer(),
    inDev: integer(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    unique('redirects_website_id_key_key').on(t.websiteId, t.key),
    // Ids are of one sequence; with the website before them, one index finds a rule and walks a website's rules by age.
    primaryKey({ name: 'redirects_pkey', columns: [t.websiteId, t.id] }),
    index('redirects_patterns_idx')
      .on(t.websiteId, t.key)
      .where(sql`${t.isRegex}`),
  ],
);

/**
 * How many redirects of a website were created on a day (UTC), by what they are targeted at: `by_targets` has eight counts, the bits of
 * the index being production 1, staging 2, development 4. Kept by a statement-level trigger on redirects (0002), so that no code
 * path can forget it; a day without redirects may stay behind with zeros.
 */
export const redirectDays = pgTable(
  'redirect_days',
  {
    websiteId: integer().notNull(),
    day: date().notNull(),
    redirects: integer().notNull(),
    byTargets: integer().array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.day] })],
);

/** The same by group; a group without redirects has no row. */
export const redirectGroups = pgTable(
  'redirect_groups',
  {
    websiteId: integer().notNull(),
    groupId: bytewise().notNull(),
    redirects: integer().notNull(),
    byTargets: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.groupId] }),
    index('redirect_groups_largest_idx').on(t.websiteId, t.redirects.desc(), t.groupId),
    index('redirect_groups_empty_idx')
      .on(t.websiteId)
      .where(sql`${t.redirects} = 0`),
  ],
);

/**
 * What a redirect was from rev_from until just before rev_to. Filled by a statement-level trigger on redirects, so that no
 * code path can forget it. The rules of revision R are the redirects with rev <= R and the revisions with
 * rev_from <= R < rev_to.
 */
export const redirectRevisions = pgTable(
  'redirect_revisions',
  {
    websiteId: integer().notNull(),
    redirectId: bigint({ mode: 'number' }).notNull(),
    revFrom: integer().notNull(),
    revTo: integer().notNull(),
    key: bytewise().notNull(),
    oldPath: text().notNull(),
    newPath: text(),
    statusCode: smallint().notNull(),
    isRegex: boolean().notNull(),
    inProd: integer(),
    inStaging: integer(),
    inDev: integer(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.revTo, t.redirectId] })],
);

/** What each environment serves (rules_env at rules_rev), and the deployment that waits or runs. */
export const websiteEnvironments = pgTable(
  'website_environments',
  {
    websiteId: integer()
      .notNull()
      .references(() => websites.id, { onDelete: 'cascade' }),
    environment: text().$type<Environment>().notNull(),
    liveVersion: integer().notNull().default(0),
    rulesEnv: text().$type<Environment>().notNull(),
    rulesRev: integer().notNull().default(0),
    /** the largest redirect id at rules_rev: what is newer by id came after it */
    rulesMaxId: bigint({ mode: 'number' }).notNull().default(0),
    /** where some rules were left out: the hosts that absolute targets may lead to (versions.target_hosts) */
    targetHosts: text().array(),
    redirectCount: integer().notNull().default(0),
    /** after a rollback or promotion: no automatic deployment until the next explicit one */
    held: boolean().notNull().default(false),
    /** the deployment that starts next, and those behind it in the order in which they were asked for */
    queued: text(),
    queuedAfter: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** the last one that waits publishes the working state, so further changes join it; a rollback or promotion is joined by none */
    queueJoinable: boolean().notNull().default(true),
    running: text(),
    /** when the live version last changed, for processes that missed a NOTIFY */
    changedAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment] }),
    index('website_environments_due_idx')
      .on(t.websiteId, t.environment)
      .where(sql`${t.queued} is not null or ${t.running} is not null`),
    index('website_environments_changed_at_idx').on(t.changedAt),
  ],
);

/**
 * `behind`: rules_rev is lower than that of an earlier version with the same rules_env (after a rollback). `target_hosts`: null for
 * all rules of the pointer; else those with an absolute target on another host were left out (a rollback or promotion after the
 * website's allowed hosts had changed).
 */
export const versions = pgTable(
  'versions',
  {
    websiteId: integer().notNull(),
    environment: text().$type<Environment>().notNull(),
    version: integer().notNull(),
    rulesEnv: text().$type<Environment>().notNull(),
    rulesRev: integer().notNull(),
    rulesMaxId: bigint({ mode: 'number' }).notNull(),
    behind: boolean().notNull(),
    targetHosts: text().array(),
    redirectCount: integer().notNull(),
    deployedAt: time().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment, t.version] }),
    index('versions_left_out_idx')
      .on(t.websiteId, t.environment, t.version)
      .where(sql`${t.targetHosts} is not null`),
    index('versions_rules_rev_idx').on(
      t.websiteId,
      t.environment,
      t.rulesEnv,
      t.behind,
      t.rulesRev,
      t.version,
    ),
  ],
);

export type DeploymentStatus = 'queued' | 'running' | 'completed' | 'failed';
export type DeploymentKind = 'automatic' | 'explicit' | 'rollback' | 'promote';
export interface DeploymentWarning {
  code: string;
  old_paths: string[];
}

export const deployments = pgTable(
  'deployments',
  {
    id: text().primaryKey(),
    websiteId: integer().notNull(),
    environment: text().$type<Environment>().notNull(),
    kind: text().$type<DeploymentKind>().notNull(),
    status: text().$type<DeploymentStatus>().notNull(),
    /** what a rollback or promotion publishes: a version of this website; null where it is the working state */
    sourceEnvironment: text().$type<Environment>(),
    sourceVersion: integer(),
    version: integer(),
    redirectCount: integer(),
    added: integer(),
    changed: integer(),
    removed: integer(),
    warnings: jsonb().$type<DeploymentWarning[]>().notNull().default([]),
    error: text(),
    actorType: text().notNull(),
    actorId: text().notNull(),
    actorName: text().notNull(),
    createdAt: createdAt(),
    startedAt: time(),
    deployedAt: time(),
  },
  (t) => [index('deployments_website_id_idx').on(t.websiteId, t.createdAt.desc(), t.id)],
);

export const imports = pgTable(
  'imports',
  {
    id: text().primaryKey(),
    accountId: integer().notNull(),
    websiteId: integer(),
    source: text().$type<'csv' | 'api'>().notNull(),
    status: text().$type<'running' | 'completed' | 'failed'>().notNull(),
    dryRun: boolean().notNull().default(false),
    /** instances.id of the process that runs it */
    owner: integer().notNull(),
    received: integer().notNull().default(0),
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    summary: jsonb(),
    error: text(),
    createdAt: createdAt(),
    completedAt: time(),
  },
  (t) => [
    index('imports_website_id_idx').on(t.websiteId, t.createdAt.desc()),
    index('imports_running_idx')
      .on(t.owner)
      .where(sql`${t.status} = 'running'`),
  ],
);

/** Every bad row of an import; `line` is the physical line of a CSV file, or the index of an entry. */
export const importErrors = pgTable(
  'import_errors',
  {
    importId: text().notNull(),
    n: integer().notNull(),
    line: integer().notNull(),
    field: text(),
    code: text().notNull(),
    message: text().notNull(),
    oldPath: text(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.n] })],
);

/** One row a process; its session advisory lock (classid 7002, objid = id) tells whether it lives. */
export const instances = pgTable('instances', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  startedAt: createdAt(),
});

/** Outbox and activity log in one; `body` is the exact text that is delivered. Partitioned by day. */
export const events = pgTable(
  'events',
  {
    day: date().notNull(),
    id: text().notNull(),
    accountId: integer().notNull(),
    websiteId: integer(),
    redirectId: bigint({ mode: 'number' }),
    event: text().notNull(),
    actorType: text().notNull(),
    actorId: text().notNull(),
    actorName: text().notNull(),
    /** `updated_at` of an updated redirect before the update; a restore needs it besides the body */
    previousUpdatedAt: time(),
    /** `timestamp` of the body, in whole seconds; null on events stored before migration 0008 */
    happenedAt: time(),
    body: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.id] }),
    index('events_account_id_idx').on(t.accountId, t.id),
    index('events_website_id_idx').on(t.websiteId, t.id),
    index('events_redirect_id_idx')
      .on(t.redirectId, t.id)
      .where(sql`${t.redirectId} is not null`),
  ],
);

/** Receivers. The queue is `deliveries`; how a receiver fares is kept here, written with the outcome of each attempt. */
export const webhooks = pgTable(
  'webhooks',
  {
    /** `wh_...` */
    id: text().primaryKey(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    url: text().notNull(),
    events: text().array().$type<EventKind[]>().notNull(),
    isActive: boolean().notNull().default(true),
    /** sealed with the context `webhook <id>` */
    secret: bytea().notNull(),
    /** the secret before the last rotation, while the overlap lasts */
    previousSecret: bytea(),
    previousSecretUntil: time(),
    /** which secret X-Service-Signature uses while both are good: the one that the receiver last accepted */
    signWith: text().$type<'current' | 'previous'>().notNull().default('current'),
    /** how many attempts may be under way at once, over all processes */
    maxInFlight: integer().notNull().default(8),
    /** failed attempts since the last success */
    failStreak: integer().notNull().default(0),
    /** when the first of them failed */
    failingSince: time(),
    /** whether a delivery has run through its whole schedule since the last success */
    exhausted: boolean().notNull().default(false),
    lastSuccessAt: time(),
    /** a receiver that answered Retry-After is left alone until then */
    pausedUntil: time(),
    deactivatedAt: time(),
    deactivatedReason: text().$type<'user' | 'gone' | 'failing'>(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [index('webhooks_account_id_idx').on(t.accountId, t.id)],
);

/** Queue and log in one. fillfactor 70 and eager vacuum: every row is rewritten twice within moments. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** shown as `whd_<id>` */
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: integer().notNull(),
    webhookId: text().notNull(),
    /** of the event, for its partition */
    eventDay: date().notNull(),
    /** `webhook-id`: the same on every attempt, redelivery and replay */
    eventId: text().notNull(),
    event: text().$type<EventKind>().notNull(),
    kind: text().$type<'event' | 'redelivery' | 'replay' | 'test'>().notNull().default('event'),
    /** pending -> sending -> delivered | pending (again later) | failed (all attempts, or too old) | canceled (webhook deleted) */
    state: text()
      .$type<'pending' | 'sending' | 'delivered' | 'failed' | 'canceled'>()
      .notNull()
      .default('pending'),
    /** counts claims: the fencing token, and the number of the attempt */
    attemptNo: integer().notNull().default(0),
    /** counts the attempts that failed: the place in the schedule (an interrupted attempt is none) */
    failures: integer().notNull().default(0),
    dueAt: time().notNull(),
    /** instances.id of the process that is sending it */
    lockedBy: integer(),
    leaseUntil: time(),
    lastStatus: integer(),
    lastError: text(),
    createdAt: time().notNull(),
    finishedAt: time(),
    /** what a test sends: it is no event that happened */
    testBody: text(),
  },
  (t) => [
    index('deliveries_due_idx')
      .on(t.webhookId, t.dueAt, t.id)
      .where(sql`${t.state} = 'pending'`),
    index('deliveries_sending_idx')
      .on(t.webhookId)
      .where(sql`${t.state} = 'sending'`),
    index('deliveries_webhook_id_idx').on(t.webhookId, t.id),
    index('deliveries_finished_at_idx')
      .on(t.finishedAt)
      .where(sql`${t.finishedAt} is not null`),
  ],
);

/** Every attempt, append-only. Partitioned by day. */
export const attempts = pgTable(
  'attempts',
  {
    day: date().notNull(),
    deliveryId: bigint({ mode: 'number' }).notNull(),
    attemptNo: integer().notNull(),
    startedAt: time().notNull(),
    /** milliseconds until the outcome was known */
    durationMs: integer().notNull(),
    /** `delivered`, or the class of what went wrong */
    outcome: text().notNull(),
    status: integer(),
    error: text(),
    /** the first 4 KiB of the answer's body */
    responseBody: text(),
    signedWith: text().$type<'current' | 'previous'>(),
    /** another attempt had overtaken this one when its outcome came: it changed nothing */
    superseded: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.attemptNo, t.day] })],
);

/** What one day (UTC) of hits adds up to. `hits`, `micros`, `countries` and `visitors` are of people; known bots only count in `bot_hits`. */
const dayOfHits = {
  day: date({ mode: 'string' }).notNull(),
  hits: bigint({ mode: 'number' }).notNull(),
  botHits: bigint({ mode: 'number' }).notNull(),
  /** the service's own time for the hits of people, in microseconds */
  micros: bigint({ mode: 'number' }).notNull(),
  /** hits by ISO 3166 code; those whose country is not known are left out */
  countries: jsonb().$type<Record<string, number>>().notNull(),
  /** who they were, one-way: see hits/visitor-sketch.ts */
  visitors: bytea().notNull(),
};

/** Hits of a website's redirects, also of those that are deleted by now, and of what no redirect matched. By month. */
export const websiteHits = pgTable(
  'website_hits',
  {
    websiteId: integer().notNull(),
    environment: text().$type<Environment>().notNull(),
    ...dayOfHits,
    /** requests that no redirect matched: answered 404, or by the website's fallback */
    unmatched: bigint({ mode: 'number' }).notNull(),
    unmatchedBots: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.day] })],
);

/**
 * Hits of one redirect. By month. The index by tier finds the most followed of a day without reading all of them; it is partial so that
 * the planner never takes it for finding one redirect, which it did in a month too young for statistics (0.9 ms a row, not 0.005),
 * and leaves out the many that were followed up to three times (hits/tier.ts), which cost a writing a third more with it.
 * A tier is half a doubling of hits. With the hits themselves in the index each hit would be a new entry in both indexes, which
 * cost a writing as much again.
 */
export const redirectHits = pgTable(
  'redirect_hits',
  {
    websiteId: integer().notNull(),
    redirectId: bigint({ mode: 'number' }).notNull(),
    environment: text().$type<Environment>().notNull(),
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
 * When a person last followed a redirect; no row: never. `last_hit_minute` is `last_hit_at` without its seconds and is what is indexed:
 * a redirect that is followed all the time then changes the index once a minute rather than with every write.
 */
export const redirectActivity = pgTable(
  'redirect_activity',
  {
    websiteId: integer().notNull(),
    redirectId: bigint({ mode: 'number' }).notNull(),
    environment: text().$type<Environment>().notNull(),
    lastHitAt: time().notNull(),
    lastHitMinute: time().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.redirectId, t.environment] }),
    index('redirect_activity_last_idx').on(t.websiteId, t.environment, t.lastHitMinute, t.redirectId),
  ],
);

/** Paths that no redirect matched, a bounded number a website and environment (hits/not-found.ts). */
export const notFound = pgTable(
  'not_found',
  {
    websiteId: integer().notNull(),
    environment: text().$type<Environment>().notNull(),
    /** canonical; longer than 2,048 bytes it is cut and ends in an ellipsis, which no canonical path contains */
    path: bytewise().notNull(),
    hits: bigint({ mode: 'number' }).notNull(),
    botHits: bigint({ mode: 'number' }).notNull(),
    /** what scanners ask every website for */
    noise: boolean().notNull(),
    /** of the last request that had one */
    referrerHost: text(),
    firstSeenAt: time().notNull(),
    lastSeenAt: time().notNull(),
    /** an editor does not want to see it any more; it is still counted */
    ignoredAt: time(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.path] })],
);

/** What `not_found` no longer tells by path: too many different ones came, and the least useful had to go. */
export const notFoundOther = pgTable(
  'not_found_other',
  {
    websiteId: integer().notNull(),
    environment: text().$type<Environment>().notNull(),
    hits: bigint({ mode: 'number' }).notNull(),
    botHits: bigint({ mode: 'number' }).notNull(),
    lastSeenAt: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment] })],
);

/** The last batch of hits that each process has written: one whose commit was not answered is not written twice. */
export const hitWriters = pgTable('hit_writers', {
  writer: text().primaryKey(),
  batch: bigint({ mode: 'number' }).notNull(),
  writtenAt: time().notNull(),
});

/** Small facts of the installation itself (one row a name). */
export const settings = pgTable('settings', {
  name: text().primaryKey(),
  value: text().notNull(),
});
