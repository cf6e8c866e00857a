import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { checkRedirect } from '../rules/check-redirect.ts';
import { environmentsOf, type RedirectRow, type RawRedirect, rowOf } from '../redirects/rule/redirect.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { findChains } from './chains.ts';
import { createPageCollector, type PageCollector } from './bounds.ts';
import { type Flat, type FlatRules, flatTarget, type LeftReason } from './flat-target.ts';
import { createTimeSlice, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import { pathsRequiringQueries } from './query-paths.ts';
import { type HealthDeps, type CurrentRules, readCurrentRules } from './current-rules.ts';

/** Rows in memory at a time. */
const BATCH = 500;

export interface Flattening {
  /** the rules of the plan */
  rules: CurrentRules;
  /** redirects whose chain can be shortened */
  ids: number[];
  left: PageCollector<LeftReason>;
  /** The decision on a redirect; undefined if it is not the same rule in the rules of the plan. */
  decide(row: RedirectRow): Flat | undefined;
}

/** Finds the chains of an environment, those of `redirectIds` if given, and decides on each. Does not write. */
export async function planFlattening(
  deps: HealthDeps,
  actor: Actor,
  { redirectIds, ...input }: { websiteId: number; environment: Environment; redirectIds: number[] | undefined },
): Promise<Flattening> {
  const slice = createTimeSlice();
  const rules = await readCurrentRules(deps, actor, input);
  const base = await flatRulesOf(rules, slice);
  const others = new Map<Environment, FlatRules>();
  const plan: Flattening = {
    rules,
    ids: [],
    left: createPageCollector(0),
    decide: (row) => decide(base, others, row),
  };
  const asked = redirectIds && new Set(redirectIds);
  const found: number[] = [];
  await findChains(rules, slice, {
    chain: ({ id }) => void (asked?.has(id) !== false && found.push(id)),
    loop: () => {},
  });
  for await (const rows of rowsOf(deps.db, input.websiteId, found)) {
    for (const environment of new Set(rows.flatMap(environmentsOf))) {
      if (environment === input.environment || others.has(environment)) continue;
      // The same revision, so that all environments are compared at one moment.
      const { rulesRev, rulesMaxId } = rules.at;
      const momentOf = ({ at }: Pick<CurrentRules, 'at'>) => ({ ...at, rulesRev, rulesMaxId });
      const rulesInput = { ...input, environment, momentOf };
      others.set(environment, await flatRulesOf(await readCurrentRules(deps, actor, rulesInput), slice));
    }
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      const flat = plan.decide(row);
      if (!flat) continue;
      if ('reason' in flat) plan.left.add(row.id, flat.reason);
      else plan.ids.push(row.id);
    }
  }
  return plan;
}

async function flatRulesOf(rules: CurrentRules, slice: TimeSlice): Promise<FlatRules> {
  const passesQueries = rules.website.query === 'pass';
  return { rules, requiresQuery: passesQueries ? await pathsRequiringQueries(rules, slice) : undefined };
}

function decide(base: FlatRules, others: Map<Environment, FlatRules>, row: RedirectRow): Flat | undefined {
  const { website, environment, ruleset } = base.rules;
  const rule = ruleset.get(row.key);
  if (rule?.id !== row.id) return undefined;
  const flat = flatTarget(base, rule);
  if ('reason' in flat) return flat;
  for (const other of environmentsOf(row).filter((each) => each !== environment)) {
    const otherRules = others.get(other);
    const sameRule = otherRules?.rules.ruleset.get(row.key);
    if (!otherRules || sameRule?.id !== row.id) return undefined;
    const otherFlat = flatTarget(otherRules, sameRule);
    if ('reason' in otherFlat || otherFlat.newPath !== flat.newPath) return { reason: 'ENVIRONMENTS' };
  }
  const checked = checkRedirect({ ...row, newPath: flat.newPath }, website.allowedTargetHosts);
  return checked.issues.length > 0 ? { reason: 'NEW_PATH' } : flat;
}

/** Yields the redirects with these ids in batches. Skips deleted ones. */
export async function* rowsOf(db: Queryable, websiteId: number, ids: number[]): AsyncGenerator<RedirectRow[]> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    const { rows } = await db.execute<RawRedirect>(sql`
      select * from redirects where website_id = ${websiteId} and id = any(${sql.param(batch)}::bigint[]) order by id`);
    yield rows.map(rowOf);
  }
}
