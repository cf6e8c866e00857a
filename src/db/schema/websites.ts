/** Websites with their hosts, and what belongs to the installation. */
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { type CheckSchedule, DEFAULT_SCHEDULE } from '../../vocabulary/checks.ts';
import type { AgentKind } from '../../vocabulary/kinds.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { WebsiteRole } from '../../vocabulary/actor.ts';
import { byUser, ownerAccount } from './accounts.ts';
import { bytewise, time, createdAt, identity, environment, ofEnvironment } from './columns.ts';

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
    /** environments whose deployments must lose no URL */
    urlGate: text().array().$type<Environment[]>().notNull().default([]),
    /** canonical names of the query parameters that identify a page */
    pageParameters: text().array().notNull().default([]),
    /** sitemaps that are fetched nightly */
    sitemapUrls: text().array().notNull().default([]),
    checkSchedule: jsonb().$type<CheckSchedule>().notNull().default(DEFAULT_SCHEDULE),
    /** a minute after a deployment, a sample of its redirects is asked */
    checkAfterDeployment: boolean().notNull().default(false),
    /** the last revision: every writer takes the next one under this row's lock */
    headRev: integer().notNull().default(0),
    /** random ids of the last revision and of the one before, which a write without a change restores (websites/write-website.ts) */
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

export const parentWebsite = () =>
  integer()
    .notNull()
    .references(() => websites.id, { onDelete: 'cascade' });

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
    /** to the minute, of what the processes of the service answered */
    lastRequestAt: time(),
  },
  (t) => [
    primaryKey({ name: 'website_hosts_pkey', columns: [t.websiteId, t.hostname] }),
    uniqueIndex('website_hosts_verified_key')
      .on(t.hostname)
      .where(sql`verified`),
  ],
);

/** Settings of the installation, one row per name. */
export const settings = pgTable('settings', { name: text().primaryKey(), value: text().notNull() });

/** One row per process. The process is alive while its session advisory lock (classid 7002, objid = id) is held. */
export const instances = pgTable('instances', { id: identity(), startedAt: createdAt() });

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
