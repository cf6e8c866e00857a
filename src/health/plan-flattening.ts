import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { checkRedirect } from '../redirects/rule/check-redirect.ts';
import { environmentsOf, type RedirectRow, type RawRedirect, rowOf } from '../redirects/rule/redirect.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { findChains } from './chains.ts';
import { createFirstEntries, type FirstEntries } from './page-collector.ts';
import { type Flat, type FlatRules, flatTarget, type LeftReason } from './flat-target.ts';
import { createTimeSlice, type TimeSlice } from '../platform/time-slice.ts';
import { pathsThatAskForQueries } from './query-paths.ts';
import { type HealthDeps, type CurrentRules, workingRules } from './current-rules.ts';

/** Rows that are held at a time. */
const BATCH = 500;

export interface Flattening {
  /** what it was planned from */
  rules: CurrentRules;
  /** redirects whose chain can be shortened */
  ids: number[];
  left: FirstEntries<LeftReason>;
  /** What becomes of a redirect at that moment; undefined where it was another rule then. */
  decide(row: RedirectRow): Flat | undefined;
}

/** Finds the chains of an environment and decides on each. Writes nothing. */
export async function planFlattening(
  deps: HealthDeps,
  actor: Actor,
  input: { websiteId: number; environment: Environment },
): Promise<Flattening> {
  const slice = createTimeSlice();
  const rules = await workingRules(deps, actor, input);
  const base = await flatRulesOf(rules, slice);
  const others = new Map<Environment, FlatRules>();
  const plan: Flattening = {
    rules,
    ids: [],
    left: createFirstEntries(0),
    decide: (row) => decide(base, others, row),
  };
  const found: number[] = [];
  await findChains(rules, slice, { chain: ({ id }) => void found.push(id), loop: () => {} });
  for await (const rows of rowsOf(deps.db, input.websiteId, found)) {
    for (const environment of new Set(rows.flatMap(environmentsOf))) {
      if (environment === input.environment || others.has(environment)) continue;
      // At the same revision, so that what is compared is of one moment.
      const { rulesRev, rulesMaxId } = rules.at;
      const wanted = { ...input, environment, momentOf: pinned(rulesRev, rulesMaxId) };
      others.set(environment, await flatRulesOf(await workingRules(deps, actor, wanted), slice));
    }
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      const flat = plan.decide(row);
      if (!flat) continue;
      if ('reason' in flat) plan.left.note(row.id, flat.reason);
      else plan.ids.push(row.id);
    }
  }
  return plan;
}

const pinned =
  (rulesRev: number, rulesMaxId: number) =>
  ({ at }: Pick<CurrentRules, 'at'>): CurrentRules['at'] => ({ ...at, rulesRev, rulesMaxId });

async function flatRulesOf(rules: CurrentRules, slice: TimeSlice): Promise<FlatRules> {
  const passesQueries = rules.website.query === 'pass';
  return { rules, asksForQuery: passesQueries ? await pathsThatAskForQueries(rules, slice) : undefined };
}

function decide(base: FlatRules, others: Map<Environment, FlatRules>, row: RedirectRow): Flat | undefined {
  const { website, environment, ruleset } = base.rules;
  const rule = ruleset.get(row.key);
  if (rule?.id !== row.id) return undefined;
  const flat = flatTarget(base, rule);
  if ('reason' in flat) return flat;
  for (const other of environmentsOf(row).filter((each) => each !== environment)) {
    const there = others.get(other);
    const sameRule = there?.rules.ruleset.get(row.key);
    if (!there || sameRule?.id !== row.id) return undefined;
    const flatThere = flatTarget(there, sameRule);
    if ('reason' in flatThere || flatThere.newPath !== flat.newPath) return { reason: 'ENVIRONMENTS' };
  }
  const checked = checkRedirect({ ...row, newPath: flat.newPath }, website.allowedTargetHosts);
  return checked.issues.length > 0 ? { reason: 'NEW_PATH' } : flat;
}

/** The redirects with these ids, in batches; those that are gone are not among them. */
export async function* rowsOf(
  db: Queryable,
  websiteId: number,
  ids: number[],
): AsyncGenerator<RedirectRow[]> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    const { rows } = await db.execute<RawRedirect>(sql`
      select * from redirects where website_id = ${websiteId} and id = any(${sql.param(batch)}::bigint[]) order by id`);
    yield rows.map(rowOf);
  }
}
