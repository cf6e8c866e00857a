/** Checks of a dry run of a sync: the loops and the gate of the rules that the website would have afterwards. */
import type { PoolClient } from 'pg';
import { queryableOf } from '../../../db/connection/client.ts';
import { inlineSql } from '../../../db/copy/copy-rows.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import { runGates } from '../../../deployments/gate/run-gates.ts';
import { applyChanges, type Candidate } from '../../../deployments/live/build-candidate.ts';
import { candidateFor } from '../../../deployments/live/candidate.ts';
import { readCurrentPointer } from '../../../deployments/live/database/live.ts';
import { readSites } from '../../../deployments/live/database/read-sites.ts';
import { readChanges } from '../../../deployments/live/database/rules-at.ts';
import { targetColumn, windowSql } from '../../../deployments/live/database/rules-sql.ts';
import { type LiveRules, NOTHING_LIVE } from '../../../deployments/live/live-registry.ts';
import { searchIn } from '../../../deployments/live/rulesets.ts';
import { findLoops, knownLoops, loopWarnings } from '../../../deployments/publish/loops.ts';
import { type Environment, ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import { FIELDS, OPTIONAL_FIELDS } from '../../rule/fields.ts';
import { CHANGES, constant, NEW_TARGETS, newValue, OLD_PATH_AFTER, valuesAfter } from '../engine/change-sql.ts';
import type { SyncCheck } from '../engine/import-request.ts';
import { targetBits } from '../engine/staged-row.ts';
import { inScope, type SyncScope, withoutEntry } from './sync-plan.ts';

/** The rules that this process serves, and the time of the check. */
export interface CheckContext {
  live: (websiteId: number, environment: Environment) => LiveRules | undefined;
  now: Date;
}

/**
 * Builds the rules of each environment from the live ones, the undeployed changes and the entries of the stage, so the
 * cost grows with the changes. `client` has the snapshot of the dry run.
 */
export async function checkSync(
  client: PoolClient,
  table: SQL,
  scope: SyncScope,
  { live: liveRules, now }: CheckContext,
): Promise<SyncCheck> {
  const { websiteId } = scope;
  const db = queryableOf(client);
  const check: SyncCheck = { loops: [], gate: [] };
  const [site] = await readSites(db, [websiteId]);
  if (!site) return check;
  const [gated] = await queryRows<Record<'expectations' | 'urls', Environment[]>>(
    db,
  )`select gated_environments as expectations, url_gate as urls from websites where id = ${websiteId}`;
  for (const environment of ENVIRONMENTS) {
    const live = liveRules(websiteId, environment) ?? NOTHING_LIVE;
    const place = { websiteId, environment };
    const candidate = await candidateAfter(client, { ...scope, environment, table }, live);
    const { loopsIn } = searchIn({ site, environment }, await knownLoops(db, place, live.version));
    const warnings = await loopWarnings(db, websiteId, await findLoops(candidate, loopsIn));
    check.loops.push(...warnings.map((warning) => ({ environment, ...warning })));
    const gates = {
      expectations: gated?.expectations.includes(environment) ?? false,
      urls: gated?.urls.includes(environment) ?? false,
    };
    if (!gates.expectations && !gates.urls) continue;
    const rules = { site, environment, ruleset: candidate.ruleset, live: live.ruleset, at: now };
    check.gate.push({ environment, ...(await runGates(client, rules, gates)) });
  }
  return check;
}

type Stage = SyncScope & { environment: Environment; table: SQL };

/** The rules of an environment after the sync, and where they differ from the live ones. */
async function candidateAfter(client: PoolClient, stage: Stage, live: LiveRules): Promise<Candidate> {
  const draft = await readCurrentPointer(queryableOf(client), stage.websiteId, stage.environment);
  if (!draft) throw new Error(`website ${stage.websiteId} is missing in its own snapshot`);
  const before = await candidateFor(client, stage, live, draft);
  const after = await applyChanges(before.ruleset, readChanges(client, inlineSql(changesSql(stage))));
  const isAll = before.startKeys === 'all' || after.startKeys === 'all' || before.startPatterns === 'all';
  return {
    ...after,
    startKeys: isAll ? 'all' : [...before.startKeys, ...after.startKeys],
    startPatterns: before.startPatterns === 'all' ? 'all' : [...before.startPatterns, ...after.startPatterns],
  };
}

/** Ids of new redirects in the check: above every id of the database. */
const NEW_IDS = sql.raw(String(2 ** 52));

/** The changes of the rules of an environment, for readChanges. */
function changesSql({ environment, table, ...scope }: Stage): SQL {
  const isIn = sql.raw(`r.${targetColumn(environment)} is not null`);
  const fields = OPTIONAL_FIELDS.filter((name) => name !== 'environments').map((name) => {
    const column = sql.identifier(FIELDS[name].wire);
    return sql`case when r.id is null then ${newValue(name)} else v.${column} end as ${column}`;
  });
  return sql`
    select case when was_in then key end, old_path, id, case when targets & ${constant(targetBits([environment]))} > 0 then key end,
      is_regex, new_path, status_code, ${sql.raw(windowSql('n').join(', '))}
    from (
      select s.key, ${isIn} as was_in, coalesce(r.id, ${NEW_IDS} + s.seq) as id, s.new_path, ${sql.join(fields, sql`, `)},
        case when r.id is null then coalesce(s.old_path, s.key) else ${OLD_PATH_AFTER} end as old_path,
        case when r.id is null then ${NEW_TARGETS} else v.targets end as targets
      from ${table} s left join redirects r on r.website_id = ${scope.websiteId} and r.key = s.key
        cross join ${valuesAfter(scope.decided)}
      where not s.needs_replay and (r.id is null or ${CHANGES} > 0)) n
    where was_in or targets & ${constant(targetBits([environment]))} > 0
    union all
    select r.key, r.old_path, null, null, null, null, null, null, null
    from redirects r where ${inScope(scope)} and ${isIn} and ${withoutEntry(table)}`;
}
