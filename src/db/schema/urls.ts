/** URLs of websites, and the lists that hold them. */
import { date, index, integer, jsonb, pgTable, primaryKey, smallint, sql, text, unique } from '../drizzle.ts';
import { byActor, bytea, bytewise, createdAt, int8, ofEnvironment, partialIndex, time } from './columns.ts';

/**
 * The URLs that a website has published, or that were requested or linked. `lists` has the ids of the lists of living
 * pages that hold it now. A URL is living in an environment if a list of the environment holds it, removed if
 * `removed_*` is set, and otherwise known. A push writes only the rows that it changes.
 */
export const urls = pgTable(
  'urls',
  {
    // The cache takes 0.8 s from a push of a million. So ids are not in the order of creation.
    id: int8().primaryKey().generatedAlwaysAsIdentity({ cache: 1_000 }),
    websiteId: integer().notNull(),
    /** the canonical path, and after a `?` the pairs that identify a page (rules/url-key.ts) */
    url: bytewise().notNull(),
    /** as its file wrote it; null: the same as `url` */
    rawUrl: text(),
    title: text(),
    description: text(),
    headline: text(),
    lists: integer()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** bits of vocabulary/urls.ts, URL_SOURCES */
    sources: smallint().notNull(),
    clicks: int8(),
    links: int8(),
    firstSeenAt: createdAt(),
    /** of a living one: when its lists were last pushed, which the lists say */
    lastSeenAt: createdAt(),
    removedProduction: time(),
    removedStaging: time(),
    removedDevelopment: time(),
  },
  (t) => [
    unique('urls_website_id_url_key').on(t.websiteId, t.url),
    // Those that only visitors added, at most 10,000 of a website. `sources` is URL_SOURCES.visitors.
    partialIndex('urls_visitors_idx', sql`${t.sources} = 16`, t.websiteId, t.lastSeenAt),
  ],
);

/** Named lists of the living pages of an environment. `version` grows with each push that changes the list. */
export const urlLists = pgTable(
  'url_lists',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    ...ofEnvironment,
    name: text().notNull(),
    version: integer().notNull().default(0),
    total: integer().notNull().default(0),
    pushedAt: createdAt(),
    /** of a list that is fetched: the last failure in words; null after a success */
    problem: text(),
    fetchedAt: time(),
  },
  (t) => [unique('url_lists_website_id_environment_name_key').on(t.websiteId, t.environment, t.name)],
);

/** Complete states of a list. The last ten of the last 30 days can be restored. */
export const urlListVersions = pgTable(
  'url_list_versions',
  {
    listId: integer().notNull(),
    version: integer().notNull(),
    websiteId: integer().notNull(),
    total: integer().notNull(),
    added: integer().notNull(),
    removed: integer().notNull(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.listId, t.version] }), index('url_list_versions_website_id_idx').on(t.websiteId)],
);

/** URLs that a version added to its list or removed; the first version has no rows: no state before it can be restored. */
export const urlListChanges = pgTable(
  'url_list_changes',
  {
    listId: integer().notNull(),
    urlId: int8().notNull(),
    version: integer().notNull(),
    websiteId: integer().notNull(),
    /** 1: the version added the URL, 0: it removed it */
    added: smallint().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.listId, t.version, t.urlId] }),
    index('url_list_changes_website_id_idx').on(t.websiteId),
  ],
);

/** Counts of a website's URLs. Its row is the lock of every writer of them. */
export const urlCounts = pgTable('url_counts', {
  websiteId: integer().primaryKey(),
  urls: integer().notNull().default(0),
  /** of these, the ones that only visitors added: they count to no quota */
  visitorUrls: integer().notNull().default(0),
  /** up to here the targets of redirects, and the paths of deleted ones, are added */
  rulesRev: integer().notNull().default(0),
  rulesMaxId: int8().notNull().default(0),
  /** unmatched requests of yesterday and today when the paths of visitors were last looked at */
  unmatched: int8().notNull().default(0),
});

/** Requests of a URL that logs name and that neither a rule nor the unmatched list counts. */
export const urlHits = pgTable(
  'url_hits',
  {
    ...ofEnvironment,
    urlId: int8().notNull(),
    day: date().notNull(),
    hits: int8().notNull(),
    botHits: int8().notNull(),
    assistantHits: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment, t.urlId, t.day] }), index('url_hits_day_idx').on(t.day)],
);

/** Logs that were counted: bodies by their hash, files that are followed by their identity. Never their lines. */
export const logBodies = pgTable(
  'log_bodies',
  {
    websiteId: integer().notNull(),
    stream: text().notNull(),
    /** identity of a file; '' of a body */
    file: text().notNull(),
    /** SHA-256 of the whole lines of a body; empty of a file */
    hash: bytea().notNull(),
    /** bytes of the whole lines, of a file from its start */
    length: int8().notNull(),
    /** the last line with names of fields */
    header: text().notNull(),
    countedAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.stream, t.file, t.hash] }),
    index('log_bodies_counted_at_idx').on(t.countedAt),
  ],
);

/** Lines of a stream of logs that arrived on one day (UTC). Those that were counted before are in no column. */
export const logDays = pgTable(
  'log_days',
  {
    websiteId: integer().notNull(),
    stream: text().notNull(),
    day: date().notNull(),
    lines: int8().notNull(),
    counted: int8().notNull(),
    notOurs: int8().notNull(),
    invalid: int8().notNull(),
    unused: int8().notNull(),
    /** time of the latest line that was counted */
    lastLineAt: time(),
    receivedAt: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.stream, t.day] }), index('log_days_day_idx').on(t.day)],
);

/** A list that arrives in several bodies, until it is committed or 24 hours old. */
export const urlUploads = pgTable(
  'url_uploads',
  {
    id: text().primaryKey(),
    ...ofEnvironment,
    list: text().notNull(),
    fromHosts: text().array().notNull(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [index('url_uploads_website_id_idx').on(t.websiteId), index('url_uploads_created_at_idx').on(t.createdAt)],
);

/** A body of an upload, with what its reader counted. */
export const urlUploadParts = pgTable(
  'url_upload_parts',
  {
    uploadId: text().notNull(),
    part: integer().notNull(),
    websiteId: integer().notNull(),
    /** urls/read-body.ts, BodyCounts */
    counts: jsonb().notNull(),
  },
  (t) => [primaryKey({ columns: [t.uploadId, t.part] }), index('url_upload_parts_website_id_idx').on(t.websiteId)],
);

/** Its rows, in the columns of a stage (urls/stage.ts). */
export const urlUploadRows = pgTable(
  'url_upload_rows',
  {
    uploadId: text().notNull(),
    part: integer().notNull(),
    websiteId: integer().notNull(),
    n: integer().notNull(),
    url: bytewise().notNull(),
    rawUrl: text(),
    title: text(),
    description: text(),
    headline: text(),
    clicks: int8(),
    links: int8(),
    /** bits of urls/stage.ts, FLAGS */
    flags: smallint().notNull(),
    cut: text(),
  },
  (t) => [index('url_upload_rows_idx').on(t.uploadId, t.part), index('url_upload_rows_website_id_idx').on(t.websiteId)],
);

/** Accepted losses: lost URLs that match a glob are counted apart and block nothing. */
export const urlAcceptedLosses = pgTable(
  'url_accepted_losses',
  {
    websiteId: integer().notNull(),
    position: integer().notNull(),
    glob: text().notNull(),
    reason: text().notNull(),
    until: time(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.position] })],
);
