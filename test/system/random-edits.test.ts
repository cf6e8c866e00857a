/**
 * Compares instances with a simple model after random edits through the API: instances that patch their rules after
 * each deployment, and one that starts later and reads all rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { seeded } from '../support/random.ts';
import { createSite, settled } from '../support/site.ts';
import { inSoak } from '../support/soak.ts';
import { until } from '../support/wait.ts';

const ENVIRONMENTS = ['production', 'staging', 'development'];
const PATHS = ['/a', '/b', '/c/d', '/ä', '/x y', '/p?k=1', '/p', '/Case'];
const VISITED = ['/a', '/b', '/c/d', '/%C3%A4', '/x%20y', '/p?k=1', '/p', '/Case'];

interface Rule {
  id: number;
  path: string;
  target: string;
  status: number;
  environments: string[];
}

const ROUNDS = inSoak(30, 10);

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

const hostOf = (environment: string) => `${environment}.random.example`;

/** The response according to the model; a rule for /p matches /p?k=1 unless another rule requires that query. */
function expected(rules: Rule[], environment: string, index: number): unknown[] {
  const find = (path: string | undefined) =>
    rules.find((rule) => rule.path === path && rule.environments.includes(environment));
  const exact = find(PATHS[index]);
  if (exact) return [exact.status, exact.target];
  const plain = PATHS[index] === '/p?k=1' ? find('/p') : undefined;
  return plain ? [plain.status, `${plain.target}?k=1`] : [404, undefined];
}

async function served(address: string): Promise<unknown[][]> {
  const all = ENVIRONMENTS.flatMap((environment) => VISITED.map((path) => visitAt(address, hostOf(environment), path)));
  return (await Promise.all(all)).map(({ status, location }) => [status, location]);
}

const byModel = (rules: Rule[]): unknown[][] =>
  ENVIRONMENTS.flatMap((environment) => PATHS.map((_, index) => expected(rules, environment, index)));

test('every instance responds according to the model after each round of random edits', async () => {
  const next = seeded(20_261_121);
  const random = (below: number): number => Math.floor(next() * below);
  const site = await createSite(
    owner,
    ENVIRONMENTS.map((environment) => ({ hostname: hostOf(environment), environment })),
  );
  const second = (await detour.another()).address;
  let rules: Rule[] = [];

  const someEnvironments = () => ENVIRONMENTS.filter(() => random(2) === 0);
  const pick = (): Rule | undefined => rules[random(Math.max(rules.length, 1))];

  async function create(): Promise<void> {
    const path = PATHS[random(PATHS.length)] ?? '/a';
    const rule = {
      path,
      target: `/t${random(1_000)}`,
      status: [301, 302, 307, 308][random(4)] ?? 301,
      environments: someEnvironments(),
    };
    const { status, body } = await owner.call('POST', '/api/redirects', {
      website_id: site,
      old_path: path,
      new_path: rule.target,
      status_code: rule.status,
      target_environments: rule.environments.join(','),
    });
    expect(status).toBe(rules.some((other) => other.path === path) ? 409 : 201);
    if (status === 201) rules.push({ ...rule, id: body.redirect.id });
  }

  async function update(): Promise<void> {
    const rule = pick();
    if (!rule) return;
    const path = PATHS[random(PATHS.length)] ?? '/a';
    const change: Record<string, unknown>[] = [
      { new_path: `/t${random(1_000)}` },
      { target_environments: someEnvironments().join(',') },
      { old_path: path },
      { status_code: [301, 302, 307, 308][random(4)] },
      { notes: `note ${random(100)}` },
    ];
    const fields = change[random(change.length)] ?? {};
    const { status } = await owner.call('PUT', `/api/redirects/${rule.id}`, fields);
    const taken = 'old_path' in fields && rules.some((other) => other !== rule && other.path === path);
    expect([fields, status]).toEqual([fields, taken ? 409 : 200]);
    if (taken) return;
    if ('old_path' in fields) rule.path = path;
    if (typeof fields['new_path'] === 'string') rule.target = fields['new_path'];
    if (typeof fields['status_code'] === 'number') rule.status = fields['status_code'];
    if (typeof fields['target_environments'] === 'string') {
      rule.environments = fields['target_environments'].split(',').filter((name) => name !== '');
    }
  }

  async function remove(): Promise<void> {
    const rule = pick();
    if (!rule) return;
    expect((await owner.call('DELETE', `/api/redirects/${rule.id}`)).status).toBe(200);
    rules = rules.filter((other) => other !== rule);
  }

  async function updateMany(): Promise<void> {
    const chosen = rules.filter(() => random(2) === 0);
    if (chosen.length === 0) return;
    const environments = someEnvironments();
    const { body } = await owner.call('POST', '/api/redirects/bulk-update', {
      redirectIds: chosen.map(({ id }) => id),
      updates: { target_environments: environments.join(',') },
    });
    expect(body.updated).toBe(chosen.length);
    for (const rule of chosen) rule.environments = environments;
  }

  const edits = [create, create, create, update, update, update, update, remove, updateMany];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = random(4); i >= 0; i--) await (edits[random(edits.length)] ?? create)();
    await settled(owner, site);
    // Either instance may have published; the other one follows it.
    const model = JSON.stringify(byModel(rules));
    for (const address of [detour.address, second])
      await until(async () => JSON.stringify(await served(address)) === model, 10_000);
  }
  const late = (await detour.another()).address;
  expect(await served(late)).toEqual(byModel(rules));
});
