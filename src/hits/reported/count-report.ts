/** Counts the hits that agents report, with the code that counts those of this service. */
import type { Db, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createSemaphore } from '../../platform/scheduling/semaphore.ts';
import { canonicalPath } from '../../resolver/spelling/canonical-path.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { validationError } from '../../vocabulary/error.ts';
import type { AgentClass } from '../count/assistants.ts';
import { countryCode } from '../count/country.ts';
import { countVisit } from '../count/count.ts';
import type { Visit } from '../count/request-batch.ts';
import { referrerName, utmSourceName } from '../count/sources.ts';
import { type Agent, createVisitorCache, type Visitors } from '../count/visitor.ts';
import { countryNumber, createPendingCounters, type PendingCounters } from '../counters/counters.ts';
import { daysOf, splitIntoBatches } from '../counters/write-batches.ts';
import { createWriterState, writeOnce } from '../store/write-batch.ts';
import { checkTimes, withKnownRedirects, type ReportedHit } from './check-report.ts';

export interface HitReport {
  websiteId: number;
  environment: Environment;
  agent: string;
  /** one start of the agent; '' if it does not name any */
  series: string;
  /** ascends within the series */
  batch: number;
  hits: ReportedHit[];
}

export interface CountedReport {
  /** hits that this call has counted */
  accepted: number;
  /** the batch, or a later one of the series, was counted before */
  duplicate: boolean;
  /** of the series */
  lastBatch: number;
}

export interface ReportCounterOptions {
  db: Db;
  /** called once, at the first report; again if it has failed */
  openVisitors: () => Promise<Visitors>;
  /** for how many days hits are retained */
  retentionDays: number;
}

export type ReportCounter = ReturnType<typeof createReportCounter>;

/** Limits of a process are for its own traffic. The size of a report bounds its counters. */
const UNLIMITED = { bytes: Infinity, pathsOfSite: Infinity, paths: Infinity };

/** Returns a function that counts a report of a website that the caller may reach. */
export function createReportCounter({ db, openVisitors, retentionDays }: ReportCounterOptions) {
  // One connection of the thread's pool at a time, however many agents report.
  const withWriter = createSemaphore(1);
  const state = createWriterState();
  let opened: Promise<ReturnType<typeof prepare>> | undefined;

  function prepared() {
    opened ??= openVisitors().then(prepare);
    opened.catch(() => (opened = undefined));
    return opened;
  }

  /**
   * Counts all hits of the report, unless its batch or a later one of the series was counted. Throws VALIDATION_ERROR,
   * which names each invalid hit, and counts nothing then.
   */
  return async (report: HitReport, now: Date): Promise<CountedReport> => {
    const { websiteId, batch } = report;
    const issues = checkTimes(report.hits, now, retentionDays);
    if (issues.length > 0) throw validationError(issues);
    const hits = await withKnownRedirects(db, websiteId, report.hits);
    const count = await prepared();
    return withWriter(async () => {
      const pending = count({ ...report, hits });
      const batches = splitIntoBatches(pending);
      const isNew = await writeOnce(db, state, { batches, days: daysOf(pending), websiteIds: [websiteId], now }, (tx) =>
        claim(tx, report, now),
      );
      if (isNew) return { accepted: hits.length, duplicate: false, lastBatch: batch };
      return { accepted: 0, duplicate: true, lastBatch: await lastBatchOf(db, report) };
    });
  };
}

/** Returns a function that counts the hits of a report in memory. */
function prepare(visitors: Visitors): (report: HitReport) => PendingCounters {
  const cache = createVisitorCache(visitors);
  const context = { visitors, limits: UNLIMITED, overflow: { hits: 0, paths: 0 } };
  return ({ websiteId, environment, hits }) => {
    const pending = createPendingCounters();
    for (const hit of hits) {
      const { at, redirectId, path, referrer, utmSource, address, userAgent, agentClass, country, micros } = hit;
      const client = cache.addressOf(asHeader(address));
      const visit: Visit = {
        websiteId,
        environment: ENVIRONMENTS.indexOf(environment),
        redirectId,
        path: redirectId === null ? canonicalPath(path) : '',
        referrer: redirectId === null ? referrer : undefined,
        referrerName: redirectId === null || referrer === undefined ? undefined : referrerName(referrer),
        utmSource: redirectId === null || utmSource === undefined ? undefined : utmSourceName(utmSource),
        micros,
        at: at.getTime(),
        agent: withClass(cache.agentOf(asHeader(userAgent)), agentClass),
        address: client,
        country: country === undefined ? client.country : countryNumber(countryCode(country)),
      };
      countVisit(pending, visit, context);
    }
    return pending;
  };
}

/** The agent in the reported class. Without one, an assistant is a bot: only agents that know the class report it. */
function withClass(agent: Agent, reported: AgentClass | undefined): Agent {
  const agentClass = reported ?? (agent.class === 'assistant' ? 'bot' : agent.class);
  return agentClass === agent.class ? agent : { ...agent, class: agentClass };
}

/** The text as Node.js reads it from a header: one character per byte. */
function asHeader(text: string): string {
  return /[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** Series that are remembered per website. Above it, those with the oldest reports are forgotten. */
const MAX_SERIES = 10_000;

/** Stores the number of the batch. Returns false if it, or a higher one, is stored. */
async function claim(tx: Tx, { websiteId, environment, agent, series, batch }: HitReport, now: Date): Promise<boolean> {
  const [stored] = await queryRows<{ isNew: boolean }>(tx)`
    insert into hit_reports as r (website_id, environment, agent, series, batch, reported_at)
    values (${websiteId}, ${environment}, ${agent}, ${series}, ${batch}, ${now.toISOString()}::timestamptz)
    on conflict (website_id, environment, agent, series)
    do update set batch = excluded.batch, reported_at = excluded.reported_at where r.batch < excluded.batch
    returning (xmax = 0) as is_new`;
  if (stored?.isNew) {
    await tx.execute(sql`
      delete from hit_reports where website_id = ${websiteId} and (environment, agent, series) in (
        select environment, agent, series from hit_reports where website_id = ${websiteId}
        order by reported_at desc offset ${MAX_SERIES})`);
  }
  return stored !== undefined;
}

async function lastBatchOf(db: Db, { websiteId, environment, agent, series, batch }: HitReport): Promise<number> {
  const [row] = await queryRows<{ batch: number }>(db)`
    select batch from hit_reports where website_id = ${websiteId} and environment = ${environment}
      and agent = ${agent} and series = ${series}`;
  return row?.batch ?? batch;
}
