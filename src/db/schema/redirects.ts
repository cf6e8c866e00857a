/** Redirects with their history, their counts, imports and expectations. */
import { boolean, date, index, integer, jsonb, pgTable, primaryKey, smallint, sql, text, unique } from '../drizzle.ts';
import type { ChangeKind } from '../../vocabulary/kinds.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { bytewise, time, createdAt, moment, int8, partialIndex, ofEnvironment, byActor } from './columns.ts';

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
    // Few have a window, so that those that start or end soon are found without reading the others.
    partialIndex('redirects_active_until_idx', sql`${t.activeUntil} is not null`, t.websiteId, t.activeUntil),
    partialIndex('redirects_active_from_idx', sql`${t.activeFrom} is not null`, t.websiteId, t.activeFrom),
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

export const imports = pgTable(
  'imports',
  {
    id: text().primaryKey(),
    accountId: integer().notNull(),
    websiteId: integer(),
    source: text().$type<'csv' | 'api' | 'sync' | 'move'>().notNull(),
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

/** Names for filters of a website's list of redirects. `query`: as in the list's URL in the dashboard. */
export const savedViews = pgTable(
  'saved_views',
  {
    id: text().primaryKey(),
    websiteId: integer().notNull(),
    name: text().notNull(),
    query: text().notNull(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [unique('saved_views_website_id_name_key').on(t.websiteId, t.name)],
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
    /** the change that added it, until another write changes it; undoing that change removes it */
    changeId: text(),
    /** whether it held in the last run against the live rules; null: none since it changed */
    holds: boolean(),
    /** when `holds` became what it is */
    resultSince: time(),
    /** the response instead, as its JSON text on the wire; of the first 1,000 failures of a run */
    actual: text(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment, t.key] }),
    partialIndex('expectations_failing_idx', sql`not ${t.holds}`, t.websiteId, t.environment, t.key),
    partialIndex('expectations_change_id_idx', sql`${t.changeId} is not null`, t.changeId),
  ],
);
