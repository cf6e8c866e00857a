/** Versions of the rules of an environment, and the deployments that publish them. */
import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { time, createdAt, int8, partialIndex, environment, ofEnvironment, byActor } from './columns.ts';
import { parentWebsite } from './websites.ts';

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
    /** what the results of the expectations are of (deployments/live/database/live.ts, ANSWERING_STATE); null: none yet */
    expectationsState: text(),
    /** no run that renews them starts before */
    expectationsRestUntil: time(),
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
    /** random (deployments/live/database/history.ts); null for versions of earlier releases */
    history: uuid().default(sql`gen_random_uuid()`),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment, t.version] }),
    index('versions_rules_rev_idx').on(t.websiteId, t.environment, t.rulesEnv, t.behind, t.rulesRev, t.version),
  ],
);

/**
 * The versions that can end the run of a rule (deployments/live/database/deployed-at.ts), so that its search does not depend on
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

/** Whether a promotion adds its environment to the redirects whose rules it publishes, or keeps their environments. */
export type Targeting = 'extend' | 'keep';

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
    /** of a promotion: `extend` adds the environment to the redirects whose rules it publishes */
    targeting: text().$type<Targeting>(),
    /** the change that it made to the redirects */
    changeId: text(),
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
