/** Records which agents follow the live rules of an environment, and which version they serve. */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../../db/rows.ts';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { AgentKind } from '../../vocabulary/kinds.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** The state of an agent, which it sends with a request. */
export interface AgentReport {
  websiteId: number;
  environment: Environment;
  name: string;
  kind: AgentKind;
  /** the version that it serves; null if none yet */
  version: number | null;
}

const WRITE_EVERY_MS = 10_000;
const MAX_REMEMBERED = 10_000;
/** Agents of a website. Above it, those that were not seen for the longest time are removed. */
const MAX_AGENTS = 1_000;
/** An agent that has not reported for this long is removed. */
const RETAINED_DAYS = 30;

export type ReportAgent = (report: AgentReport, now: Date) => Promise<void>;

/**
 * Returns a function that records a report of a website that the caller may reach. It writes at most every 10 s per
 * agent, and at once if the agent is new or serves another version.
 */
export function createAgentReports(db: Db): ReportAgent {
  const written = createBoundedCache<{ state: string; at: number }>(MAX_REMEMBERED);
  return async (report, now) => {
    const { websiteId, environment, name, kind, version } = report;
    const key = `${websiteId} ${environment} ${name}`;
    const state = `${kind} ${version}`;
    const last = written.get(key);
    if (last?.state === state && Math.abs(now.getTime() - last.at) < WRITE_EVERY_MS) return;
    await writeReport(db, report, now);
    written.set(key, { state, at: now.getTime() });
  };
}

/** Other processes may have written the same report a moment ago. */
async function writeReport(db: Db, { websiteId, environment, name, kind, version }: AgentReport, now: Date) {
  const [stored] = await queryRows<{ isNew: boolean }>(db)`
    insert into feed_agents as a (website_id, environment, name, kind, version, last_seen_at)
    values (${websiteId}, ${environment}, ${name}, ${kind}, ${version}, ${now.toISOString()}::timestamptz)
    on conflict (website_id, environment, name)
    do update set kind = excluded.kind, version = excluded.version, last_seen_at = excluded.last_seen_at
    where a.last_seen_at <= excluded.last_seen_at - ${WRITE_EVERY_MS} * interval '1 ms'
      or (a.kind, a.version) is distinct from (excluded.kind, excluded.version)
    returning (xmax = 0) as is_new`;
  if (!stored?.isNew) return;
  await db.execute(sql`
    delete from feed_agents where website_id = ${websiteId} and (environment, name) in (
      select environment, name from feed_agents where website_id = ${websiteId}
      order by last_seen_at desc, name offset ${MAX_AGENTS})`);
}

/** Removes agents that have not reported for 30 days. */
export async function purgeAgents(db: Db, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - RETAINED_DAYS * DAY_MS).toISOString();
  await deleteInBatches(db, 'feed_agents', sql`t.last_seen_at < ${cutoff}::timestamptz`);
}
