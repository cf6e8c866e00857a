/**
 * All tables and indexes. Column names are the camelCase names in snake_case (drizzle `casing`). The migrations add by
 * hand what drizzle cannot express: fillfactors, partitions and triggers. The large tables have no foreign keys: with
 * one, a COPY of 1,000,000 redirects takes 7.5 to 8.9 s instead of 5.4 s.
 */
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  type IndexBuilderOn,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  type SQL,
  sql,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from './drizzle.ts';
import type { AgentKind } from '../vocabulary/agent.ts';
import type { AuditAction } from '../vocabulary/audit.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { ChangeKind } from '../vocabulary/change.ts';
import type { EventKind } from '../vocabulary/event.ts';
import type { Plan } from '../vocabulary/plan.ts';
import type { Actor, Role, Scope, WebsiteRole, WebsiteRoles } from '../vocabulary/actor.ts';

/** Text in byte order, the order of exports and of the resolver. Its index is also the cheapest. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const time = () => timestamp({ withTimezone: true });
const createdAt = () => time().notNull().defaultNow();
/** In milliseconds, which is what the API accepts and shows. */
const moment = () => timestamp({ withTimezone: true, precision: 3 });
const int8 = () => bigint({ mode: 'number' });
const identity = () => integer().primaryKey().generatedAlwaysAsIdentity();
const partialIndex = (name: string, condition: SQL, ...columns: Parameters<IndexBuilderOn['on']>) =>
  index(name)
    .on(...columns)
    .where(condition);

const ownerAccount = () =>
  integer()
    .notNull()
    .references(() => accounts.id);
const parentWebsite = () =>
  integer()
    .notNull()
    .references(() => websites.id, { onDelete: 'cascade' });

const environment = () => text().$type<Environment>().notNull();
/** Without a foreign key: see above. */
const ofEnvironment = { websiteId: integer().notNull(), environment: environment() };
/** The actor as it was at the time of the change. */
const byActor = {
  actorType: text().$type<Actor['type']>().notNull(),
  actorId: text().notNull(),
  actorName: text().notNull(),
};

export const accounts = pgTable('accounts', {
  id: identity(),
  plan: text().$type<Plan>().notNull(),
  createdAt: createdAt(),
});

export const users = pgTable(
  'users',
  {
    id: identity(),
    accountId: ownerAccount(),
    /** trimmed and in lower case */
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    passwordHash: text().notNull(),
    createdAt: createdAt(),
    /** reaches only the websites of user_websites, possibly none, with the roles there instead of `role` */
    isLimited: boolean().notNull().default(false),
  },
  (t) => [unique('users_email_key').on(t.email), index('users_account_id_idx').on(t.accountId)],
);

export const sessions = pgTable(
  'sessions',
  {
    tokenHash: bytea().primaryKey(),
    /** the id that the user sees; not the token */
    id: text().notNull().unique('sessions_id_key'),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userAgent: text(),
    createdAt: createdAt(),
    /** extended at most hourly, so that most reads do not write */
    seenAt: createdAt(),
    expiresAt: time().notNull(),
    /** when the user last repeated the password; null: not since signing in */
    confirmedAt: time(),
  },
  (t) => [index('sessions_user_id_idx').on(t.userId), index('sessions_expires_at_idx').on(t.expiresAt)],
);

/** One-time links that set a password: invitations to an account, or with `userId` the reset of a user's password. */
export const invitations = pgTable(
  'invitations',
  {
    id: text().primaryKey(),
    tokenHash: bytea().notNull().unique('invitations_token_hash_key'),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    /** the websites that the invited person reaches, by id, deleted ones included; null: all of the account */
    websiteRoles: jsonb().$type<WebsiteRoles>(),
    userId: integer().references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    expiresAt: time().notNull(),
  },
  (t) => [
    index('invitations_account_id_idx').on(t.accountId),
    index('invitations_user_id_idx').on(t.userId),
    index('invitations_expires_at_idx').on(t.expiresAt),
  ],
);

const byUser = () => integer().references(() => users.id, { onDelete: 'cascade' });

/** Secrets of authenticator apps, sealed. */
export const totpSecrets = pgTable('totp_secrets', {
  userId: byUser().primaryKey(),
  secret: bytea().notNull(),
  /** null until a code proved that the app has it */
  confirmedAt: time(),
  /** the period of the last used code */
  lastStep: int8(),
});

/** Hashes of unused recovery codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: byUser().notNull(), codeHash: bytea().notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/**
 * Failed sign-ins by email and source, for the throttle across all processes. Hashed, because the email may not be a
 * user's.
 */
export const signInFailures = pgTable(
  'sign_in_failures',
  {
    emailHash: bytea().notNull(),
    at: createdAt(),
    /** the network of the client, or its known device; null in rows of older versions */
    sourceHash: bytea(),
  },
  (t) => [index('sign_in_failures_idx').on(t.emailHash, t.at), index('sign_in_failures_at_idx').on(t.at)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: ownerAccount(),
    name: text().notNull(),
    scope: text().$type<Scope>().notNull(),
    /** the only websites that the key reaches, deleted ones included; null: all of the account */
    websiteIds: integer().array(),
    keyHash: bytea().notNull().unique('api_keys_key_hash_key'),
    createdAt: createdAt(),
    expiresAt: time(),
    revokedAt: time(),
    usedAt: time(),
    /** the client's IP address at `used_at` */
    usedAddress: text(),
    /** null on keys that are older than these columns */
    createdByType: text().$type<Actor['type']>(),
    createdById: text(),
    createdByName: text(),
  },
  (t) => [index('api_keys_account_id_idx').on(t.accountId)],
);

/**
 * Security events of an account, append-only. The id is a UUID of version 7, so ids ascend with time. The BRIN index
 * costs nothing per row and finds the oldest rows, which the purge deletes.
 */
export const audit = pgTable(
  'audit',
  {
    id: uuid().primaryKey(),
    accountId: ownerAccount(),
    createdAt: createdAt(),
    action: text().$type<AuditAction>().notNull(),
    ...byActor,
    target: text(),
    details: jsonb().$type<Record<string, unknown>>(),
    address: text(),
    userAgent: text(),
  },
  (t) => [
    index('audit_account_id_idx').on(t.accountId, t.id),
    index('audit_action_idx').on(t.accountId, t.action, t.id),
    index('audit_created_at_idx').using('brin', t.createdAt),
  ],
);

/** fillfactor 50: head_rev changes with every write, which must stay a HOT update. */
export const websites = pgTable(
  'websites',
  {
    id: identity(),
    accountId: ownerAccount(),
    name: text().notNull(),
    caseSensitive: boolean().notNull().default(true),
    trailingSlash: text().$type<'ignore' | 'exact'>().notNull().default('ignore'),
    query: text().$type<'pass' | 'drop' | 'exact'>().notNull().default('pass'),
    fallbackUrl: text(),
    allowedTargetHosts: text().array().notNull().default([]),
    autoDeploy: boolean().notNull().default(true),
    onLoop: text().$type<'warn' | 'fail'>().notNull().default('warn'),
    /** environments whose deployments must meet the expectations */
    gatedEnvironments: text().array().$type<Environment[]>().notNull().default([]),
    /** the last revision: every writer takes the next one under this row's lock */
    headRev: integer().notNull().default(0),
    /** random ids of the last revision and of the one before, which a write without a change restores (write-website.ts) */
    history: uuid().array(),
    /** number of redirects, maintained by the trigger of redirect_days; of no meaning while the website is deleted */
    redirects: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: createdAt(),
    /** the last change of hosts or options, for processes that missed a NOTIFY */
    changedAt: createdAt(),
    deletingSince: time(),
  },
  (t) => [index('websites_account_id_idx').on(t.accountId, t.id), index('websites_changed_at_idx').on(t.changedAt)],
);

/**
 * The websites that a limited user reaches, and the role there. Without a foreign key to websites, whose lock would wait
 * for imports: purgeDeletedWebsites deletes the rows.
 */
export const userWebsites = pgTable(
  'user_websites',
  { userId: byUser().notNull(), websiteId: integer().notNull(), role: text().$type<WebsiteRole>().notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.websiteId] }), index('user_websites_website_id_idx').on(t.websiteId)],
);

/** A hostname may be a wildcard (`*.example.com`). Several websites may claim one; the one that has proven it serves it. */
export const websiteHosts = pgTable(
  'website_hosts',
  {
    hostname: bytewise().notNull(),
    websiteId: parentWebsite(),
    environment: environment(),
    /** ascending in the order of the website's list, with gaps */
    position: integer().notNull(),
    verified: boolean().notNull().default(true),
    /** the URL of a domain redirect; null: the host serves rules, and the next two columns are null */
    redirectUrl: text(),
    redirectStatusCode: smallint(),
    redirectKeepPath: boolean(),
  },
  (t) => [
    primaryKey({ name: 'website_hosts_pkey', columns: [t.websiteId, t.hostname] }),
    uniqueIndex('website_hosts_verified_key')
      .on(t.hostname)
      .where(sql`verified`),
  ],
);

/** A rule, the revisions since which it is targeted, and its window: outside of it the rule does not exist. */
const ruleColumns = {
  key: bytewise().notNull(),
  oldPath: text().notNull(),
  newPath: text(),
  statusCode: smallint().notNull(),
  isRegex: boolean().notNull(),
  inProd: integer(),
  inStaging: integer(),
  inDev: integer(),
  activeFrom: moment(),
  activeUntil: moment(),
};

/**
 * The current rules. `key` is unique in a website: the canonical form of a literal with the sorted pairs of its
 * required query, or the text of a pattern; options of the website do not change it. `in_x` is the revision since which
 * the rule is targeted at x (null: not targeted). `rev` is the last change of a served field; notes and group do not
 * change it. fillfactor 48 and no further index on changing columns: rewriting every target stays a HOT update.
 */
export const redirects = pgTable(
  'redirects',
  {
    id: int8().notNull().generatedByDefaultAsIdentity(),
    websiteId: integer().notNull(),
    ...ruleColumns,
    groupId: text(),
    notes: text(),
    rev: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    unique('redirects_website_id_key_key').on(t.websiteId, t.key),
    // Ids come from one sequence. With website_id first, one index finds a rule and lists a website's rules by age.
    primaryKey({ name: 'redirects_pkey', columns: [t.websiteId, t.id] }),
    partialIndex('redirects_patterns_idx', sql`${t.isRegex}`, t.websiteId, t.key),
  ],
);

const redirectCounts = { redirects: integer().notNull(), byTargets: integer().array().notNull() };

/**
 * Redirects of a website created on a day (UTC), by targets. `by_targets` has eight counts; the bits of the index are
 * production 1, staging 2, development 4. A statement-level trigger on redirects (migration 0002) maintains it for
 * every code path. A day without redirects may remain with zeros.
 */
export const redirectDays = pgTable(
  'redirect_days',
  { websiteId: integer().notNull(), day: date().notNull(), ...redirectCounts },
  (t) => [primaryKey({ columns: [t.websiteId, t.day] })],
);

/** The same counts by group. A group without redirects has no row. */
export const redirectGroups = pgTable(
  'redirect_groups',
  { websiteId: integer().notNull(), groupId: bytewise().notNull(), ...redirectCounts },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.groupId] }),
    index('redirect_groups_largest_idx').on(t.websiteId, t.redirects.desc(), t.groupId),
    partialIndex('redirect_groups_empty_idx', sql`${t.redirects} = 0`, t.websiteId),
  ],
);

/**
 * Former states of redirects, each from rev_from until just before rev_to. A statement-level trigger on redirects
 * writes it for every code path. The rules of revision R are the redirects with rev <= R and the revisions with
 * rev_from <= R < rev_to. A change of labels alone at R leaves the empty interval [R, R), which is in no revision of
 * the rules. `created_at` is null if the redirect did not exist in the interval: it was deleted and came back.
 */
export const redirectRevisions = pgTable(
  'redirect_revisions',
  {
    websiteId: integer().notNull(),
    redirectId: int8().notNull(),
    revFrom: integer().notNull(),
    revTo: integer().notNull(),
    ...ruleColumns,
    groupId: text(),
    notes: text(),
    createdAt: time(),
    updatedAt: time(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.revTo, t.redirectId] }),
    index('redirect_revisions_redirect_id_idx').on(t.websiteId, t.redirectId, t.revTo),
    // Finds redirects by a former path. A key may have 2 KiB; its hash is 8 bytes.
    index('redirect_revisions_key_idx').on(t.websiteId, sql`hashtextextended(key, 0)`),
  ],
);

/**
 * Writes of redirects, one row per transaction and website, retained for 30 days. The former states are the revisions
 * with rev_to = revision. Ids ascend with revisions within a website, so the created redirects are those of the website
 * with ids in (first_id, last_id], and no row per redirect is needed.
 */
export const changes = pgTable(
  'changes',
  {
    id: text().primaryKey(),
    websiteId: integer().notNull(),
    revision: integer().notNull(),
    kind: text().$type<ChangeKind>().notNull(),
    created: integer().notNull(),
    updated: integer().notNull(),
    deleted: integer().notNull(),
    firstId: int8().notNull(),
    lastId: int8().notNull(),
    ...byActor,
    createdAt: createdAt(),
    /** names in the API of the fields that an update changed; null for other kinds */
    fields: text().array(),
    /** the change that this one took back */
    undoes: text(),
    /** the change that took this one back, unless that was taken back itself */
    undoneBy: text(),
  },
  (t) => [
    unique('changes_website_id_revision_key').on(t.websiteId, t.revision),
    index('changes_kind_idx').on(t.websiteId, t.kind, t.revision),
    index('changes_actor_name_idx').on(t.websiteId, t.actorName, t.revision),
    index('changes_created_at_idx').using('brin', t.createdAt),
  ],
);

/** The live rules of each environment (rules_env at rules_rev), and its queued and running deployments. */
export const websiteEnvironments = pgTable(
  'website_environments',
  {
    websiteId: parentWebsite(),
    environment: environment(),
    liveVersion: integer().notNull().default(0),
    rulesEnv: environment(),
    rulesRev: integer().notNull().default(0),
    /** the largest redirect id at rules_rev; a larger id was created later */
    rulesMaxId: int8().notNull().default(0),
    /** if rules were excluded: the allowed hosts of absolute targets (versions.target_hosts) */
    targetHosts: text().array(),
    redirectCount: integer().notNull().default(0),
    /** the loops of the live version (deployments/live/candidate.ts, StoredLoops); null if unknown */
    loops: jsonb(),
    /** after a rollback or promotion: no automatic deployment until the next explicit one */
    held: boolean().notNull().default(false),
    /** the next deployment, and those after it in queue order */
    queued: text(),
    queuedAfter: text().array().notNull().default([]),
    /**
     * further changes join the last queued deployment, because it publishes the current rules; false for rollback and
     * promotion
     */
    queueJoinable: boolean().notNull().default(true),
    running: text(),
    /** the last change of the live version, for processes that missed a NOTIFY */
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
 * `behind`: an earlier version with the same rules_env has a higher rules_rev (after a rollback). `target_hosts`: null for all rules of
 * the pointer; else rules with an absolute target on another host are excluded (docs/adr/0005).
 */
export const versions = pgTable(
  'versions',
  {
    ...ofEnvironment,
    version: integer().notNull(),
    rulesEnv: environment(),
    rulesRev: integer().notNull(),
    rulesMaxId: int8().notNull(),
    behind: boolean().notNull(),
    targetHosts: text().array(),
    redirectCount: integer().notNull(),
    deployedAt: time().notNull(),
    /** random (deployments/live/history.ts); null for versions of earlier releases */
    history: uuid().default(sql`gen_random_uuid()`),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment, t.version] }),
    index('versions_rules_rev_idx').on(t.websiteId, t.environment, t.rulesEnv, t.behind, t.rulesRev, t.version),
  ],
);

/**
 * The versions that can end the run of a rule (deployments/live/deployed-at.ts), so that its search does not depend on
 * the number of versions. `low`: no later version with the same rules_env has as low a revision; `high`: none has as
 * high a one. A trigger on versions maintains it for every code path.
 */
export const versionBounds = pgTable(
  'version_bounds',
  {
    ...ofEnvironment,
    rulesEnv: environment(),
    bound: text().$type<'low' | 'high'>().notNull(),
    rulesRev: integer().notNull(),
    version: integer().notNull(),
  },
  (t) => [
    primaryKey({
      name: 'version_bounds_pkey',
      columns: [t.websiteId, t.environment, t.rulesEnv, t.bound, t.rulesRev],
    }),
  ],
);

/** The last version for each list of target hosts. The trigger of version_bounds maintains it. */
export const versionHosts = pgTable(
  'version_hosts',
  {
    ...ofEnvironment,
    /** md5 of target_hosts, which may be too long for an index */
    hostsHash: text().notNull(),
    targetHosts: text().array().notNull(),
    version: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.hostsHash] })],
);

export type DeploymentStatus = 'queued' | 'running' | 'completed' | 'failed';
export type DeploymentKind = 'automatic' | 'explicit' | 'rollback' | 'promote';
export interface DeploymentWarning {
  code: string;
  old_paths: string[];
  /** of a loop in which each address is longer than the previous one */
  growing?: boolean;
  /** of a loop that exists only while the window of a redirect is open */
  scheduled?: boolean;
}

export const deployments = pgTable(
  'deployments',
  {
    id: text().primaryKey(),
    ...ofEnvironment,
    kind: text().$type<DeploymentKind>().notNull(),
    status: text().$type<DeploymentStatus>().notNull(),
    /** the version that a rollback or promotion publishes; null for the current rules */
    sourceEnvironment: text().$type<Environment>(),
    sourceVersion: integer(),
    version: integer(),
    redirectCount: integer(),
    added: integer(),
    changed: integer(),
    removed: integer(),
    warnings: jsonb().$type<DeploymentWarning[]>().notNull().default([]),
    error: text(),
    note: text(),
    /** published without a check of the expectations */
    forced: boolean().notNull().default(false),
    ...byActor,
    createdAt: createdAt(),
    startedAt: time(),
    deployedAt: time(),
  },
  (t) => [
    index('deployments_website_id_idx').on(t.websiteId, t.createdAt.desc(), t.id),
    // Those that the activity lists. `error` changes only if one fails, so other updates stay HOT.
    partialIndex(
      'deployments_activity_idx',
      sql`${t.kind} <> 'automatic' or ${t.error} is not null`,
      t.websiteId,
      t.createdAt,
      t.id,
    ),
  ],
);

/**
 * What visitors of a website must get. `key` is the canonical form of `url`. A status of a redirect has `location` (the
 * exact Location), `final` (the last address of the chain) or neither.
 */
export const expectations = pgTable(
  'expectations',
  {
    ...ofEnvironment,
    key: bytewise().notNull(),
    url: text().notNull(),
    statusCode: smallint().notNull(),
    location: text(),
    final: text(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.key] })],
);

/** The first expectations that a failed deployment did not meet, each as its JSON text on the wire. */
export const deploymentFailures = pgTable(
  'deployment_failures',
  {
    websiteId: integer().notNull(),
    deploymentId: text().notNull(),
    position: integer().notNull(),
    failure: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.deploymentId, t.position] }),
    index('deployment_failures_created_at_idx').on(t.createdAt),
  ],
);

export const imports = pgTable(
  'imports',
  {
    id: text().primaryKey(),
    accountId: integer().notNull(),
    websiteId: integer(),
    source: text().$type<'csv' | 'api' | 'sync'>().notNull(),
    status: text().$type<'running' | 'completed' | 'failed'>().notNull(),
    dryRun: boolean().notNull().default(false),
    /** instances.id of the process that runs it */
    owner: integer().notNull(),
    received: integer().notNull().default(0),
    bytes: int8().notNull().default(0),
    summary: jsonb(),
    /** columns of the file, if its invalid rows are stored */
    headers: text().array(),
    /** the field of each of these columns; '' for one that no correction of a row can set; null if none can */
    fields: text().array(),
    /** as the client named the file; null without one, like the actor of an import before version 0.2 */
    fileName: text(),
    actorType: text().$type<Actor['type']>(),
    actorId: text(),
    actorName: text(),
    /** changes.id; null if nothing changed */
    changeId: text(),
    error: text(),
    createdAt: createdAt(),
    completedAt: time(),
  },
  (t) => [
    index('imports_website_id_idx').on(t.websiteId, t.createdAt.desc()),
    partialIndex('imports_running_idx', sql`${t.status} = 'running'`, t.owner),
  ],
);

/** Invalid rows of an import. `line` is the physical line of a CSV file, or the index of a JSON entry. */
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
    /** the row as in the file, by imports.headers; null if it is not stored */
    cells: text().array(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.n] })],
);

/** One row per process. The process is alive while its session advisory lock (classid 7002, objid = id) is held. */
export const instances = pgTable('instances', { id: identity(), startedAt: createdAt() });

/** Outbox and activity log. `body` is the exact text that is delivered. Partitioned by day. */
export const events = pgTable(
  'events',
  {
    day: date().notNull(),
    id: text().notNull(),
    accountId: integer().notNull(),
    websiteId: integer(),
    redirectId: int8(),
    event: text().notNull(),
    ...byActor,
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
    partialIndex('events_redirect_id_idx', sql`${t.redirectId} is not null`, t.redirectId, t.id),
  ],
);

/** Receivers with their health, which each outcome of an attempt updates. The queue is `deliveries`. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: ownerAccount(),
    name: text().notNull(),
    url: text().notNull(),
    events: text().array().$type<EventKind[]>().notNull(),
    isActive: boolean().notNull().default(true),
    /** sealed with the context `webhook <id>` */
    secret: bytea().notNull(),
    /** the secret before the last rotation, while the overlap lasts */
    previousSecret: bytea(),
    previousSecretUntil: time(),
    /** the secret of X-Service-Signature while both are valid: the one that the receiver last accepted */
    signWith: text().$type<'current' | 'previous'>().notNull().default('current'),
    /** maximum attempts in flight, across all processes */
    maxInFlight: integer().notNull().default(8),
    /** failed attempts since the last success */
    failStreak: integer().notNull().default(0),
    failingSince: time(),
    /** a delivery has failed after its last attempt since the last success */
    exhausted: boolean().notNull().default(false),
    lastSuccessAt: time(),
    /** no attempts until then, after a response with Retry-After */
    pausedUntil: time(),
    deactivatedAt: time(),
    deactivatedReason: text().$type<'user' | 'gone' | 'failing'>(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [index('webhooks_account_id_idx').on(t.accountId, t.id)],
);

/** Queue and log of deliveries. fillfactor 70 and eager vacuum, because every row is updated twice within moments. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** shown as `whd_<id>` */
    id: int8().primaryKey().generatedAlwaysAsIdentity(),
    accountId: integer().notNull(),
    webhookId: text().notNull(),
    eventDay: date().notNull(),
    /** `webhook-id`: the same on every attempt, redelivery and replay */
    eventId: text().notNull(),
    event: text().$type<EventKind>().notNull(),
    kind: text().$type<'event' | 'redelivery' | 'replay' | 'test'>().notNull().default('event'),
    /**
     * pending -> sending -> delivered | pending (retry) | failed (last attempt, or expired) | canceled (webhook
     * deleted)
     */
    state: text().$type<'pending' | 'sending' | 'delivered' | 'failed' | 'canceled'>().notNull().default('pending'),
    /** claims so far: the fencing token, and the number of the attempt */
    attemptNo: integer().notNull().default(0),
    /** failed attempts: the position in the retry schedule; an interrupted attempt does not count */
    failures: integer().notNull().default(0),
    dueAt: time().notNull(),
    /** instances.id of the process that is sending it */
    lockedBy: integer(),
    leaseUntil: time(),
    lastStatus: integer(),
    lastError: text(),
    createdAt: time().notNull(),
    finishedAt: time(),
    /** the body of a test, which has no event */
    testBody: text(),
  },
  (t) => [
    partialIndex('deliveries_due_idx', sql`${t.state} = 'pending'`, t.webhookId, t.dueAt, t.id),
    partialIndex('deliveries_sending_idx', sql`${t.state} = 'sending'`, t.webhookId),
    index('deliveries_webhook_id_idx').on(t.webhookId, t.id),
    partialIndex('deliveries_finished_at_idx', sql`${t.finishedAt} is not null`, t.finishedAt),
  ],
);

/** Every attempt, append-only. Partitioned by day. */
export const attempts = pgTable(
  'attempts',
  {
    day: date().notNull(),
    deliveryId: int8().notNull(),
    attemptNo: integer().notNull(),
    startedAt: time().notNull(),
    /** milliseconds until the outcome was known */
    durationMs: integer().notNull(),
    /** `delivered`, or the class of the failure */
    outcome: text().notNull(),
    status: integer(),
    error: text(),
    /** the first 4 KiB of the response body */
    responseBody: text(),
    signedWith: text().$type<'current' | 'previous'>(),
    /** a later claim had replaced this one when its outcome arrived, so it changed nothing */
    superseded: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.attemptNo, t.day] })],
);

const hitCounts = { hits: int8().notNull(), botHits: int8().notNull() };

/** Sums of the hits of one day (UTC). Known bots count in `bot_hits` only, all other columns are about humans. */
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
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.day] })],
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

/** Agents that follow the live rules of an environment, as they report themselves. */
export const feedAgents = pgTable(
  'feed_agents',
  {
    ...ofEnvironment,
    name: text().notNull(),
    kind: text().$type<AgentKind>().notNull(),
    /** the version that the agent serves; null if it serves none yet */
    version: integer(),
    lastSeenAt: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.name] })],
);

/** Settings of the installation, one row per name. */
export const settings = pgTable('settings', { name: text().primaryKey(), value: text().notNull() });
