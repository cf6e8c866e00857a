/**
 * When each redirect's live rule was published (deployed_to_prod and its two sisters). Nothing is stamped on rows: the time is
 * that of the first version of the run, up to the live one, in which the rule has stood unchanged.
 *
 * A rule stands in version j (rules of environment e at revision r) when in_e <= r. So the run begins after the last version
 * with r < in_e, and that is found by index: revisions grow with versions but for those marked `behind` (rollbacks), of which
 * there are few.
 */
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { type LiveEnvironmentRow, readLive } from './live.ts';
import { type Revision, readRevisions } from './read-revisions.ts';
import { targetHost } from './rules-sql.ts';

export interface TargetedRow {
  id: number;
  websiteId: number;
  rev: number;
  newPath: string | null;
  inProd: number | null;
  inStaging: number | null;
  inDev: number | null;
}

export type DeployedTimes = Record<Environment, Date | null>;

/** Since when a rule is targeted, per environment, until `end` (null: still). What a run is looked up by. */
interface Standing {
  since: Record<Environment, number | null>;
  end: number | null;
  /** of an absolute target: versions that left that host out break the run */
  host: string | null;
}

interface Lookup extends Standing {
  live: LiveEnvironmentRow;
  resolve: (time: Date | null) => void;
}

/** More remembered starts than a list of several websites needs; beyond it the memory is given back. */
const REMEMBERED = 20_000;

/**
 * A reader of deployed times for pages of redirects. It remembers what it looked up, so it belongs to one request, and to one
 * snapshot where several pages must agree.
 */
export function createDeployedTimes(db: Queryable): (rows: TargetedRow[]) => Promise<DeployedTimes[]> {
  const live = new Map<number, LiveEnvironmentRow[]>();
  const known = new Map<string, Date | null>();

  return async (rows) => {
    await readMissing(db, rows, live);
    const pieces = await readRevisions(
      db,
      rows.filter((row) => isEdited(row, live.get(row.websiteId))),
      live,
    );
    const lookups = new Map<string, Lookup[]>();
    const answers = rows.map((row) => {
      const times: DeployedTimes = { production: null, staging: null, development: null };
      for (const at of live.get(row.websiteId) ?? []) {
        const standing = standingIn(row, at, pieces.get(row.id));
        if (!standing) continue;
        const key = keyOf(row.websiteId, at, standing);
        const time = known.get(key);
        if (time !== undefined) times[at.environment] = time;
        else
          push(lookups, key, { ...standing, live: at, resolve: (found) => (times[at.environment] = found) });
      }
      return times;
    });
    if (known.size > REMEMBERED) known.clear();
    await resolveAll(db, lookups, known);
    return answers;
  };
}

async function readMissing(
  db: Queryable,
  rows: TargetedRow[],
  live: Map<number, LiveEnvironmentRow[]>,
): Promise<void> {
  const missing = [...new Set(rows.map((row) => row.websiteId))].filter((id) => !live.has(id));
  if (missing.length === 0) return;
  for (const id of missing) live.set(id, []);
  for (const row of await readLive(db, missing)) if (row.liveVersion > 0) live.get(row.websiteId)?.push(row);
}

function sinceOf(row: TargetedRow | Revision): Record<Environment, number | null> {
  return { production: row.inProd, staging: row.inStaging, development: row.inDev };
}

/** True where the working state is newer than some live version and not itself what is live there. */
function isEdited(row: TargetedRow, live: LiveEnvironmentRow[] = []): boolean {
  const since = sinceOf(row);
  return live.some((at) => row.rev > at.rulesRev && !((since[at.rulesEnv] ?? Infinity) <= at.rulesRev));
}

function standingIn(row: TargetedRow, at: LiveEnvironmentRow, pieces: Revision[] = []): Standing | undefined {
  const since = sinceOf(row);
  if ((since[at.rulesEnv] ?? Infinity) <= at.rulesRev) return allowed(row, at, { since, end: null });
  // Pieces run from the newest back; the one that holds the live revision is what is live.
  const index = pieces.findIndex((piece) => piece.revFrom <= at.rulesRev && at.rulesRev < piece.revTo);
  const piece = pieces[index];
  if (!piece) return undefined;
  const stands = sinceOf(piece);
  if (stands[at.rulesEnv] === null) return undefined;
  // A change of other targets splits a revision without ending the rule here.
  let last = index;
  while (last > 0 && sinceOf(pieces[last - 1] ?? piece)[at.rulesEnv] === stands[at.rulesEnv]) last--;
  return allowed(piece, at, { since: stands, end: pieces[last]?.revTo ?? null });
}

function allowed(
  { newPath }: TargetedRow | Revision,
  at: LiveEnvironmentRow,
  standing: Omit<Standing, 'host'>,
): Standing | undefined {
  const host = targetHost(newPath);
  if (host !== null && at.targetHosts !== null && !at.targetHosts.includes(host)) return undefined;
  return { ...standing, host };
}

function keyOf(websiteId: number, at: LiveEnvironmentRow, { since, end, host }: Standing): string {
  if (!at.promoted) return `${websiteId} ${at.environment} ${since[at.environment]} ${end} ${host}`;
  return `${websiteId} ${at.environment} ${ENVIRONMENTS.map((environment) => since[environment]).join(' ')} ${end} ${host}`;
}

function push(lookups: Map<string, Lookup[]>, key: string, lookup: Lookup): void {
  const list = lookups.get(key);
  if (list) list.push(lookup);
  else lookups.set(key, [lookup]);
}

/** More than any revision: what is not targeted breaks every version of that environment's rules. */
const NEVER = 2_147_483_647;

async function resolveAll(
  db: Queryable,
  lookups: Map<string, Lookup[]>,
  known: Map<string, Date | null>,
): Promise<void> {
  const asked = [...lookups].flatMap(([key, list]) => {
    const first = list[0];
    if (!first) return [];
    const { live, since, end, host } = first;
    const of = live.promoted ? ENVIRONMENTS : [live.environment];
    return of.map((rulesEnv) => ({
      key,
      website_id: live.websiteId,
      environment: live.environment,
      rules_env: rulesEnv,
      since: since[rulesEnv] ?? NEVER,
      until: end ?? NEVER,
      host,
    }));
  });
  if (asked.length === 0) return;
  const { rows } = await db.execute<{ key: string; deployed_at: string | null }>(sql`
    with breaks as (
      select a.key, a.website_id, a.environment, max(b.version) as version
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as a(key text, website_id int, environment text, rules_env text, since int, until int, host text)
      left join lateral (
        (select v.version from versions v where v.website_id = a.website_id and v.environment = a.environment
          and v.rules_env = a.rules_env and not v.behind and v.rules_rev < a.since order by v.rules_rev desc, v.version desc limit 1)
        union all
        (select v.version from versions v where v.website_id = a.website_id and v.environment = a.environment
          and v.rules_env = a.rules_env and not v.behind and v.rules_rev >= a.until order by v.rules_rev desc, v.version desc limit 1)
        union all
        (select max(v.version) from versions v where v.website_id = a.website_id and v.environment = a.environment
          and v.rules_env = a.rules_env and v.behind and (v.rules_rev < a.since or v.rules_rev >= a.until))
        union all
        (select max(v.version) from versions v where v.website_id = a.website_id and v.environment = a.environment
          and v.target_hosts is not null and a.host <> all (v.target_hosts))
      ) b on true
      group by a.key, a.website_id, a.environment)
    select breaks.key, v.deployed_at from breaks
    left join versions v on v.website_id = breaks.website_id and v.environment = breaks.environment
      and v.version = coalesce(breaks.version, 0) + 1`);
  for (const { key, deployed_at } of rows) {
    const time = deployed_at === null ? null : new Date(deployed_at);
    known.set(key, time);
    for (const lookup of lookups.get(key) ?? []) lookup.resolve(time);
  }
}
