/** Compares both processes and every list with the model. */
import { expect } from 'vitest';
import { visitAt } from '../detour.ts';
import { until } from '../wait.ts';
import {
  type Change,
  deployedAt,
  difference,
  draftRules,
  ENVIRONMENTS,
  type Environment,
  type Fields,
  type Redirect,
  type Touch,
} from './model.ts';
import { type Body, hostOf, list, MOMENTS, type Run } from './run.ts';
import { serve, VISITED } from './serving.ts';
import { checkDryRun } from './undo.ts';

const liveRules = ({ model }: Run, environment: Environment): Redirect[] =>
  model.versions[environment].at(-1)?.rules ?? [];

/** Compares the responses of both processes at the time of the clock. */
export async function checkServing(run: Run): Promise<void> {
  const now = run.clock.now().getTime();
  const requests = ENVIRONMENTS.flatMap((environment) => VISITED.map((url) => ({ environment, url })));
  const expected = requests.map(({ environment, url }) => {
    const { status, location, cacheControl } = serve(liveRules(run, environment), url, now);
    return `${environment} ${url}: ${status} ${location} ${cacheControl}`;
  });
  for (const address of run.addresses) {
    let found: string[] = [];
    const isEqual = async (): Promise<boolean> => {
      const answers = requests.map(async ({ environment, url }) => {
        const { status, location, headers } = await visitAt(address, hostOf(run, environment), url);
        return `${environment} ${url}: ${status} ${location ?? null} ${headers['cache-control']}`;
      });
      found = await Promise.all(answers);
      return found.every((text, at) => text === expected[at]);
    };
    await until(isEqual, 5_000).catch(() => expect(found).toEqual(expected));
  }
}

/** Compares the list with its deployed times, the revision and the held environments. */
export async function checkList(run: Run): Promise<void> {
  const { model } = run;
  const expected = [...model.redirects.values()]
    .toSorted((a, b) => b.id - a.id)
    .map(({ id, fields, times }) => ({
      ...{ id: String(id), website_id: run.site, ...fields, ...times },
      deployed_to_prod: deployedAt(model, 'production', id),
      deployed_to_staging: deployedAt(model, 'staging', id),
      deployed_to_dev: deployedAt(model, 'development', id),
      ...{ target_state: null, target_checked_at: null },
    }));
  expect(await list(run)).toEqual(expected);
  const { body } = await run.call('GET', `/api/v1/websites/${run.site}`);
  expect([body.website.revision, body.website.held_environments.toSorted(), body.website.auto_deploy]).toEqual([
    model.revision,
    [...model.held].toSorted(),
    model.autoDeploy,
  ]);
}

function countsOf({ touched }: Change) {
  const sides = [...touched.values()];
  return {
    created: sides.filter(({ before }) => !before).length,
    updated: sides.filter(({ before, after }) => before && after).length,
    deleted: sides.filter(({ after }) => !after).length,
  };
}

const pathOf = (touch: Touch | undefined): string | undefined => (touch?.after ?? touch?.before)?.fields.old_path;

const wireOf = (change: Change) => ({
  id: change.id,
  revision: change.revision,
  kind: change.kind,
  counts: countsOf(change),
  old_path: change.touched.size === 1 ? pathOf([...change.touched.values()][0]) : null,
  undoes: change.undoes,
  undone_by: change.undoneBy,
});

/** Reads all pages of a list. */
async function readAll(run: Run, path: string, field: string, limit: number): Promise<Body[]> {
  const found: Body[] = [];
  let cursor = '';
  do {
    const { status, text, body } = await run.call('GET', `${path}limit=${limit}${cursor}`);
    expect(status, text).toBe(200);
    found.push(...body[field]);
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  return found;
}

/** The list of changes, the items of the last and of a random one, and the history of a random redirect. */
export async function checkChanges(run: Run): Promise<void> {
  const { changes } = run.model;
  const listed = await readAll(run, `/api/v1/changes?website_id=${run.site}&`, 'changes', run.pick([7, 1_000]));
  const shown = listed.map(({ id, revision, kind, counts, old_path, undoes, undone_by }) => ({
    ...{ id, revision, kind, counts, old_path, undoes, undone_by },
  }));
  expect(shown).toEqual(changes.map(wireOf).toReversed());
  if (changes.length === 0) return;
  for (const change of new Set([run.pick(changes), ...changes.slice(-1)])) await checkItems(run, change);
  const ids = [...run.pick(changes).touched.keys()];
  await checkHistory(run, run.pick(ids));
}

const stateOf = (redirect: Redirect | null): Fields | null => redirect?.fields ?? null;

async function checkItems(run: Run, change: Change): Promise<void> {
  const found = await readAll(run, `/api/v1/changes/${change.id}?`, 'items', run.pick([2, 1_000]));
  const expected = [...change.touched].map(([id, { before, after }]) => ({
    redirect_id: String(id),
    old_path: pathOf({ before, after }),
    before: stateOf(before),
    after: stateOf(after),
  }));
  expect(found).toEqual(expected);
}

async function checkHistory(run: Run, id: number): Promise<void> {
  const found = await readAll(run, `/api/v1/redirects/${id}/history?`, 'history', run.pick([2, 1_000]));
  const expected = run.model.changes.toReversed().flatMap(({ id: changeId, kind, touched }) => {
    const touch = touched.get(id);
    return touch ? [{ change_id: changeId, kind, before: stateOf(touch.before), after: stateOf(touch.after) }] : [];
  });
  expect(found.map(({ change_id, kind, before, after }) => ({ change_id, kind, before, after }))).toEqual(expected);
}

/** Rules of the live version, the draft or any version, by the name that calls use. */
function someRules(run: Run, environment: Environment): { name: string; rules: Redirect[] } {
  const versions = run.model.versions[environment];
  const at = run.below(versions.length + 2);
  if (at === 0) return { name: 'draft', rules: draftRules(run.model, environment) };
  if (at === 1) return { name: 'live', rules: liveRules(run, environment) };
  return { name: String(at - 1), rules: versions[at - 2]?.rules ?? [] };
}

/** The difference between two versions, by ids. */
async function checkDifference(run: Run): Promise<void> {
  const environment = run.pick(ENVIRONMENTS);
  const [from, to] = [someRules(run, environment), someRules(run, environment)];
  const query = `website_id=${run.site}&environment=${environment}&from=${from.name}&to=${to.name}`;
  const { body, text } = await run.call('GET', `/api/v1/deployments/diff?${query}`);
  const idsOf = (entries: Body[]): number[] => entries.map(({ id }) => Number(id));
  const found = { added: idsOf(body.added), changed: idsOf(body.changed), removed: idsOf(body.removed) };
  expect(found, text).toEqual(difference(from.rules, to.rules));
}

/** The test of many URLs at another time, against any version. */
async function checkTester(run: Run): Promise<void> {
  const environment = run.pick(ENVIRONMENTS);
  const { name, rules } = someRules(run, environment);
  const at = run.pick(MOMENTS);
  const against = name === 'draft' || name === 'live' ? { against: name } : { version: Number(name) };
  const sent = { website_id: run.site, environment, urls: VISITED, at, ...against };
  const { body, text } = await run.call('POST', '/api/v1/redirects/test', sent);
  const found = body.results?.map((each: Body) => [each.url, each.status_code, each.location, each.redirect_id]);
  const expected = VISITED.map((url) => {
    const { status, location, id } = serve(rules, url, Date.parse(at));
    return [url, status, location, id === null ? null : String(id)];
  });
  expect(found, text).toEqual(expected);
}

/** The export of any version has its rules, and that of the current redirects all of them. */
async function checkExport(run: Run): Promise<void> {
  const environment = run.pick(ENVIRONMENTS);
  const { name, rules } = someRules(run, environment);
  const isDraft = name === 'draft';
  const place = isDraft ? '' : `&environment=${environment}`;
  const path = `/api/v1/redirects/bulk/export?website_id=${run.site}&version=${name}${place}`;
  const { body, text } = await run.call('GET', path);
  expect(body.redirects, text).toBeInstanceOf(Array);
  const exported = isDraft ? [...run.model.redirects.values()] : rules;
  const rule = ({ old_path, new_path, status_code, is_regex, active_from, active_until }: Fields) =>
    JSON.stringify({ old_path, new_path, status_code, is_regex, active_from, active_until });
  expect(body.redirects.map(rule).toSorted(), name).toEqual(exported.map(({ fields }) => rule(fields)).toSorted());
}

export async function checkAll(run: Run): Promise<void> {
  await checkServing(run);
  await checkList(run);
  await checkChanges(run);
  await checkDryRun(run);
  await run.pick([checkDifference, checkTester, checkExport])(run);
}
