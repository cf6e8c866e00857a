/** Writes the sources of a new check: what each literal redirect answers by the live rules. */
import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { fetchRows, queryRows } from '../../db/rows.ts';
import { visitedSite } from '../../deployments/gate/run.ts';
import type { VisitedSite } from '../../deployments/gate/compare.ts';
import { requestFor } from '../../deployments/gate/urls/answer-of.ts';
import type { TestedSite } from '../../deployments/live/test-url.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Match } from '../../resolver/rule.ts';
import type { RedirectFilter } from '../../redirects/list/filter.ts';
import { at } from '../check.ts';
import { before, filteredRules, type NewCheck } from './stage-targets.ts';

const BATCH_SIZE = 2_000;
const MAX_PATTERNS_MS = 20_000;

interface Rule {
  id: number;
  key: string;
  isRegex: boolean;
  hits: number;
}

/**
 * A pattern without an expectation has no address, and a redirect that the live rules do not answer cannot be served.
 * `too_many_expectations`: a pattern whose expectation was not found in time.
 */
type SkipReason = 'pattern' | 'too_many_expectations' | 'not_live';

/**
 * Writes a target per redirect that the filter finds, the most hit first. One that cannot be asked has the state
 * `skipped`. The expected answer is that of the live rules when the check is created.
 */
export async function stageSources(
  tx: Tx,
  check: NewCheck & { baseUrl: string },
  filter: RedirectFilter,
  { site, environment, rules }: TestedSite,
): Promise<void> {
  const visited = visitedSite(rules.ruleset, site, environment, check.now);
  const { hostname } = new URL(check.baseUrl);
  const { addresses, isWhole } = await patternAddresses(tx, check, hostname, visited);
  const noAddress = isWhole ? 'pattern' : 'too_many_expectations';
  const slice = createTimeSlice();
  const query = sql`
    select r.id, r.key, r.is_regex, coalesce(h.hits, 0) as hits from ${filteredRules(check, filter)}
    order by coalesce(h.hits, 0) desc, r.key`;
  let n = 0;
  for await (const rows of fetchRows<Rule>(tx, query, BATCH_SIZE)) {
    const sources = [];
    for (const { id, key, isRegex, hits } of rows) {
      if (slice.isOver()) await slice.yield();
      const address = isRegex ? addresses.get(id) : key;
      const match = address === undefined ? undefined : answerTo(visited, hostname, address);
      const skip: SkipReason | null = address === undefined ? noAddress : match?.id === id ? null : 'not_live';
      const url = check.baseUrl + (address ?? '/');
      sources.push({ n: ++n, id, url, hits, skip, status: match?.statusCode, location: match?.location });
    }
    await insertSources(tx, check, hostname, sources);
  }
}

const answerTo = ({ ruleset, options }: VisitedSite, host: string, address: string): Match | undefined =>
  ruleset.match(requestFor({ host }, address), options);

/** The first address of an expectation that each pattern answers. Not whole if all expectations take longer than 20 s. */
async function patternAddresses(
  tx: Tx,
  { websiteId, environment }: NewCheck,
  host: string,
  visited: VisitedSite,
): Promise<{ addresses: Map<number, string>; isWhole: boolean }> {
  const addresses = new Map<number, string>();
  const startedAt = stopwatch();
  const slice = createTimeSlice();
  const query = sql`
    select key from expectations where website_id = ${websiteId} and environment = ${environment}
      and exists (select from redirects r where r.website_id = ${websiteId} and r.is_regex) order by key`;
  for await (const rows of fetchRows<{ key: string }>(tx, query, BATCH_SIZE)) {
    for (const { key } of rows) {
      if (slice.isOver()) await slice.yield();
      const address = key.replace(/^https?:\/\/([^/]*)/, (origin, of: string) => (of === host ? '' : origin));
      const match = address.startsWith('/') ? answerTo(visited, host, address) : undefined;
      if (match?.isRegex && !addresses.has(match.id)) addresses.set(match.id, address);
    }
    if (stopwatch() - startedAt > MAX_PATTERNS_MS) return { addresses, isWhole: false };
  }
  return { addresses, isWhole: true };
}

async function insertSources(tx: Tx, check: NewCheck, host: string, sources: object[]): Promise<void> {
  await queryRows(tx)`
    with t as materialized (
      select * from json_to_recordset(${JSON.stringify(sources)}::json)
        as t (n int, id bigint, url text, hits bigint, skip text, status smallint, location text)),
    written as (
      insert into check_targets (check_id, n, website_id, url, host, is_own, weight, expected_status, expected_location,
        before, due_at, state, reason, confirmed, checked_at)
      select ${check.id}, t.n, ${check.websiteId}, t.url, ${host}, true, t.hits, t.status, t.location, ${before(check)},
        case when t.skip is null then ${at(check.now)} end, case when t.skip is not null then 'skipped' end, t.skip,
        t.skip is not null, case when t.skip is not null then ${at(check.now)} end
      from t)
    insert into check_rules (check_id, n, redirect_id, website_id)
    select ${check.id}, t.n, t.id, ${check.websiteId} from t`;
}
