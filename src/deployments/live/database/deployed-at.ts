/**
 * Derives when each redirect's live rule was published (deployed_to_prod, _staging, _dev). No row stores it: it is the
 * time of the first version in the run of versions, up to the live one, that contain the unchanged rule.
 *
 * Version j (rules of environment e at revision r) contains a rule if in_e <= r < end. So the run starts after the last
 * version outside of these bounds. It is among the lowest or the highest of the versions after it, and `version_bounds`
 * has only those, so the cost does not depend on the number of versions.
 */
import type { Queryable } from '../../../db/connection/client.ts';
import { queryRows, timeOf } from '../../../db/rows.ts';
import { ENVIRONMENTS, type Environment } from '../../../vocabulary/environment.ts';
import type { LiveEnvironmentRow } from './live.ts';
import { createLiveStates, type LiveStates, liveStateIn, sinceOf, type TargetedRow } from './live-states.ts';
import type { Revision } from './read-revisions.ts';
import { targetHost } from './rules-sql.ts';

export type DeployedTimes = Record<Environment, Date | null>;

/** The times of a redirect that is live nowhere. */
export const NEVER_DEPLOYED: DeployedTimes = { production: null, staging: null, development: null };

/** The revisions in which an environment has a rule unchanged. */
interface Period {
  since: number;
  /** the revision that ended it; null if it still exists */
  end: number | null;
}

/** Determines the run of versions that contain a rule unchanged. */
interface Span {
  /** per environment whose rules a version of this environment may have; absent if that never has the rule */
  periods: Partial<Record<Environment, Period | undefined>>;
  /** of an absolute target: a version that excluded this host ends the run */
  host: string | null;
}

/** The span of a redirect's live rule in one environment. `key` is the same for all spans with the same time. */
interface Lookup {
  key: string;
  live: LiveEnvironmentRow;
  span: Span;
}

/** Cached times. A list of several websites needs fewer; the cache is cleared above this. */
const MAX_CACHED = 20_000;

/**
 * Creates a reader of deployed times for pages of redirects. It caches lookups, so use one per request, and one per
 * snapshot if several pages must agree. Pass the states of the rows if they are read already.
 */
export function createDeployedTimes(
  db: Queryable,
): (rows: TargetedRow[], states?: LiveStates) => Promise<DeployedTimes[]> {
  const readStates = createLiveStates(db);
  const known = new Map<string, Date | null>();

  return async (rows, states) => {
    const { live, revisions } = states ?? (await readStates(rows));
    const lookups = rows.map((row) =>
      (live.get(row.websiteId) ?? []).flatMap((at): Lookup | [] => {
        const span = spanIn(row, at, revisions.get(row.id));
        return span ? { key: keyOf(row.websiteId, at, span), live: at, span } : [];
      }),
    );
    if (known.size > MAX_CACHED) known.clear();
    const unknown = lookups.flat().filter(({ key }) => !known.has(key));
    const unique = new Map(unknown.map((lookup) => [lookup.key, lookup]));
    for (const [key, time] of await readTimes(db, [...unique.values()])) known.set(key, time);
    return lookups.map((ofRow) => {
      const times = { ...NEVER_DEPLOYED };
      for (const { key, live: at } of ofRow) times[at.environment] = known.get(key) ?? null;
      return times;
    });
  };
}

/** Returns the deployed times of one redirect. */
export async function findDeployedTimes(db: Queryable, row: TargetedRow): Promise<DeployedTimes> {
  const [times] = await createDeployedTimes(db)([row]);
  if (!times) throw new Error('one row has one result');
  return times;
}

/** The span of the live rule of an environment. `revisions` are sorted from newest to oldest. */
function spanIn(row: TargetedRow, at: LiveEnvironmentRow, revisions: Revision[] = []): Span | undefined {
  const live = liveStateIn(row, at, revisions);
  if (!live) return undefined;
  const states = [row, ...revisions];
  const periods: Span['periods'] = {};
  for (const environment of at.promoted ? ENVIRONMENTS : [at.environment])
    periods[environment] = periodIn(states, states.indexOf(live), environment, at.rulesEnv);
  return { periods, host: targetHost(live.newPath) };
}

/**
 * The period in which an environment has the live rule unchanged. Changes of other environments add states to it.
 * Undefined if it never has. An environment that has it several times gets the last period.
 */
function periodIn(
  states: (TargetedRow | Revision)[],
  live: number,
  environment: Environment,
  rulesEnv: string,
): Period | undefined {
  let newest = live;
  while (newest > 0 && isSameRule(states[newest - 1], states[newest])) newest--;
  // The live version contains the rule in this environment, so the period is the one around it.
  if (environment === rulesEnv)
    while (sinceIn(states[newest], environment) !== sinceIn(states[live], environment)) newest++;
  let at = newest;
  while (sinceIn(states[at], environment) === null && isSameRule(states[at], states[at + 1])) at++;
  const state = states[at];
  const since = sinceIn(state, environment);
  // Former states alone have an end.
  return state && since !== null ? { since, end: 'revTo' in state ? state.revTo : null } : undefined;
}

const sinceIn = (state: TargetedRow | Revision | undefined, environment: Environment): number | null =>
  state ? sinceOf(state)[environment] : null;

/** True for adjacent states with one rule: an environment that has it in both keeps the revision since which it does. */
function isSameRule(newer: TargetedRow | Revision | undefined, older: TargetedRow | Revision | undefined): boolean {
  return ENVIRONMENTS.some((environment) => {
    const since = sinceIn(newer, environment);
    return since !== null && since === sinceIn(older, environment);
  });
}

function keyOf(websiteId: number, at: LiveEnvironmentRow, { periods, host }: Span): string {
  const texts = ENVIRONMENTS.map((environment) => `${periods[environment]?.since}-${periods[environment]?.end}`);
  return `${websiteId} ${at.environment} ${texts.join(' ')} ${host}`;
}

/** Larger than any revision: a rule that is not targeted is in no version of that environment's rules. */
const NEVER = 2_147_483_647;

async function readTimes(db: Queryable, lookups: Lookup[]): Promise<[key: string, time: Date | null][]> {
  if (lookups.length === 0) return [];
  const questions = lookups.flatMap(({ key, live, span: { periods, host } }) =>
    (live.promoted ? ENVIRONMENTS : [live.environment]).map((rulesEnv) => ({
      key,
      website_id: live.websiteId,
      environment: live.environment,
      rules_env: rulesEnv,
      since: periods[rulesEnv]?.since ?? NEVER,
      until: periods[rulesEnv]?.end ?? null,
      host,
    })),
  );
  const rows = await queryRows<{ key: string; deployedAt: string | null }>(db)`
    with breaks as (
      select a.key, a.website_id, a.environment, max(b.version) as version
      from jsonb_to_recordset(${JSON.stringify(questions)}::jsonb)
        as a(key text, website_id int, environment text, rules_env text, since int, until int, host text)
      left join lateral (
        (select v.version from version_bounds v where v.website_id = a.website_id and v.environment = a.environment
          and v.rules_env = a.rules_env and v.bound = 'low' and v.rules_rev < a.since order by v.rules_rev desc limit 1)
        union all
        (select v.version from version_bounds v where v.website_id = a.website_id and v.environment = a.environment
          and v.rules_env = a.rules_env and v.bound = 'high' and a.until is not null and v.rules_rev >= a.until order by v.rules_rev limit 1)
        union all
        (select max(v.version) from version_hosts v where v.website_id = a.website_id and v.environment = a.environment
          and a.host is not null and a.host <> all (v.target_hosts))
      ) b on true
      group by a.key, a.website_id, a.environment)
    select breaks.key, v.deployed_at from breaks
    left join versions v on v.website_id = breaks.website_id and v.environment = breaks.environment
      and v.version = coalesce(breaks.version, 0) + 1`;
  return rows.map(({ key, deployedAt }) => [key, timeOf(deployedAt)]);
}
