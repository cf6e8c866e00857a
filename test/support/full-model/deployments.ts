/** Deployments by request, and the versions that follow from what each step publishes. */
import { expect } from 'vitest';
import { until } from '../wait.ts';
import { isDeepStrictEqual } from 'node:util';
import { type Change, difference, ENVIRONMENTS, keyOf, type Redirect, type Version } from './model.ts';
import type { Body, Run } from './run.ts';
import { automatic, draftOf, type Publication } from './writes.ts';

const QUEUED = { status: 202 };

export async function deploy(run: Run): Promise<Publication[]> {
  const environment = run.pick(ENVIRONMENTS);
  const sent = { website_id: run.site, environment, note: run.pick([null, 'by hand']) };
  const answer = await run.call('POST', '/api/v1/deployments', sent);
  expect(answer, answer.text).toMatchObject(QUEUED);
  run.model.held.delete(environment);
  return [{ environment, kind: 'explicit', ...draftOf(run, environment) }];
}

export async function rollBack(run: Run): Promise<Publication[]> {
  const environment = run.pick(ENVIRONMENTS);
  const versions = run.model.versions[environment];
  const version = 1 + run.below(versions.length + 1);
  const sent = { website_id: run.site, environment, version };
  const answer = await run.call('POST', '/api/v1/deployments/rollback', sent);
  const source = versions[version - 1];
  expect(answer.status, answer.text).toBe(source ? 202 : 404);
  return source ? republish(run, environment, 'rollback', source) : [];
}

export async function promote(run: Run): Promise<Publication[]> {
  const [from, to] = [run.pick(ENVIRONMENTS), run.pick(ENVIRONMENTS)];
  const answer = await run.call('POST', '/api/v1/deployments/promote', { website_id: run.site, from, to });
  const source = run.model.versions[from].at(-1);
  const canPromote = from !== to && source !== undefined;
  expect(answer.status, answer.text).toBe(canPromote ? 202 : 422);
  return canPromote ? republish(run, to, 'promote', source) : [];
}

function republish(
  run: Run,
  environment: Publication['environment'],
  kind: Publication['kind'],
  { rulesEnv, rulesRev, rules }: Version,
): Publication[] {
  run.model.held.add(environment);
  return [{ environment, kind, rulesEnv, rulesRev, rules }];
}

/** Turned on, the website deploys what has changed since the live versions. */
export async function switchAutoDeploy(run: Run): Promise<Publication[]> {
  const { model } = run;
  model.autoDeploy = !model.autoDeploy;
  const sent = { auto_deploy: model.autoDeploy };
  const { status, text } = await run.call('PUT', `/api/v1/websites/${run.site}`, sent);
  expect(status, text).toBe(200);
  return automatic(
    run,
    ENVIRONMENTS.filter((environment) => {
      const { rulesRev = 0 } = model.versions[environment].at(-1) ?? {};
      return model.changes.some((change) => change.revision > rulesRev && isServed(change));
    }),
  );
}

/** A change of more than labels. */
function isServed({ touched }: Change): boolean {
  const state = (redirect: Redirect | null): unknown => redirect && [redirect.content, redirect.since];
  return [...touched.values()].some(({ before, after }) => !isDeepStrictEqual(state(before), state(after)));
}

export async function moveClock(run: Run, moments: string[]): Promise<Publication[]> {
  const at = Date.parse(run.pick(moments)) + run.pick([-1_000, -1, 0, 1, 500]);
  run.clock.set(new Date(at).toISOString());
  return [];
}

/** Waits for the deployments of a step, compares them with what it publishes, and adds the versions to the model. */
export async function settle(run: Run, publications: Publication[]): Promise<void> {
  const { model, site } = run;
  const known = model.deployments;
  const all: Body[] = await until(async () => {
    // Not through `run`, because the number of tries is not a matter of the seed.
    const { body } = await run.owner.keyCall('GET', `/api/v1/deployments?website_id=${site}&limit=1000`);
    const { deployments } = body;
    return deployments.every(({ status }: Body) => status === 'completed' || status === 'failed') && deployments;
  }, 30_000);
  const made = all.slice(0, all.length - known);
  model.deployments = all.length;
  const named = ({ environment, kind }: { environment: string; kind: string }): string => `${kind} ${environment}`;
  expect(made.map(named).toSorted()).toEqual(publications.map(named).toSorted());
  for (const { environment, kind, ...published } of publications) {
    const { rules } = published;
    const versions = model.versions[environment];
    const before = versions.at(-1)?.rules ?? [];
    const deployment = made.find((each) => each.environment === environment);
    const shown = { status: 'completed', version: versions.length + 1, redirect_count: rules.length, kind };
    expect(deployment).toMatchObject(shown);
    // A path that moved is one change, or an addition and a removal if the rules are read as a whole.
    if (!hasMoved(before, rules)) {
      const { added, changed, removed } = difference(before, rules);
      const counts = { added: added.length, changed: changed.length, removed: removed.length };
      expect(deployment.changes, named(deployment)).toEqual(counts);
    }
    versions.push({ ...published, deployedAt: await spreadTime(run, environment, versions.length + 1) });
  }
}

/** Sets the time of a version, so that no two versions of a run have the same. Returns it as lists show it. */
async function spreadTime({ detour, site }: Run, environment: string, version: number): Promise<string> {
  const { rows } = await detour.db.$client.query<{ at: Date }>(
    `update versions set deployed_at = date_trunc('second', now()) - interval '30 days' + $3::int * interval '1 minute'
      + array_position(array['production', 'staging', 'development'], environment) * interval '10 days'
     where website_id = $1 and environment = $2 and version = $3 returning deployed_at as at`,
    [site, environment, version],
  );
  if (!rows[0]) throw new Error(`${environment} has no version ${version}`);
  return new Date(rows[0].at).toISOString().replace('.000', '');
}

function hasMoved(before: Redirect[], after: Redirect[]): boolean {
  const keys = new Map(before.map(({ id, fields }) => [id, keyOf(fields)]));
  return after.some(({ id, fields }) => keys.has(id) && keys.get(id) !== keyOf(fields));
}
