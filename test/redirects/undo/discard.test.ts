/** POST /api/websites/{id}/discard: the redirects return to the live version. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../support/site.ts';
import { promote, rollBack } from '../../deployments/publishing.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const discard = (site: number, body: object = {}, account = owner) =>
  account.call('POST', `/api/websites/${site}/discard`, { environment: 'production', ...body });
const list = async (site: number) =>
  (await owner.call('GET', `/api/redirects?website_id=${site}&limit=100`)).body.redirects.toSorted(
    (a: { id: number }, b: { id: number }) => a.id - b.id,
  );
const waiting = async (site: number, environment = 'production') =>
  (await owner.call('GET', `/api/deployments/diff?website_id=${site}&environment=${environment}`)).body.counts;
const put = async (id: number, body: object) =>
  expect((await owner.call('PUT', `/api/redirects/${id}`, body)).status).toBe(200);

/** A website whose live version has /a, /b and /c, and /s in staging only. */
async function liveSite() {
  const site = await createSite(owner, [], { auto_deploy: false });
  const ids: number[] = [];
  for (const old_path of ['/a', '/b', '/c']) ids.push(await addRedirect(owner, site, { old_path, new_path: '/x' }));
  const staged = await addRedirect(owner, site, { old_path: '/s', new_path: '/x', target_environments: 'staging' });
  await deploy(owner, site);
  return { site, ids: ids as [number, number, number], staged };
}

test('all that waits returns to the live version, as one change that can be undone', async () => {
  const { site, ids, staged } = await liveSite();
  const [a, b, c] = ids;
  const before = await list(site);
  await put(a, { new_path: '/y', notes: 'later' });
  await put(a, { new_path: '/z' });
  await owner.call('DELETE', `/api/redirects/${b}`);
  await put(c, { target_environments: 'production,staging', old_path: '/cc' });
  await addRedirect(owner, site, { old_path: '/c', new_path: '/new' });
  const draft = await addRedirect(owner, site, { old_path: '/d', new_path: '/new', target_environments: 'staging' });
  await put(staged, { new_path: '/other' });
  expect(await waiting(site)).toMatchObject({ added: 1, changed: 2, removed: 1 });

  const preview = await discard(site, { dry_run: true });
  const counts = { restored: 2, recreated: 1, deleted: 1, conflicts: 0 };
  expect(preview.body).toMatchObject({ discard: counts, environments: ['production', 'staging'], change_id: null });
  const done = await discard(site);
  expect(done.body).toMatchObject({ discard: counts, conflicts: [], change_id: expect.any(String) });
  expect(await waiting(site)).toEqual({ added: 0, changed: 0, removed: 0 });
  const after = await list(site);
  // Redirects for other environments only stay.
  const kept = [staged, draft];
  expect(after.filter(({ id }: { id: number }) => !kept.includes(id))).toEqual(
    before.filter(({ id }: { id: number }) => !kept.includes(id)),
  );
  expect(after.find(({ id }: { id: number }) => id === staged)).toMatchObject({ new_path: '/other' });
  expect((await discard(site)).body).toMatchObject({ discard: { restored: 0, recreated: 0, deleted: 0 } });

  const { changes } = (await owner.call('GET', `/api/changes?website_id=${site}&limit=1`)).body;
  expect(changes).toMatchObject([
    { id: done.body.change_id, kind: 'discard', counts: { created: 1, updated: 2, deleted: 1 } },
  ]);
  const undone = await owner.call('POST', `/api/changes/${done.body.change_id}/undo`, {});
  // The new redirect would need the path that another one still has.
  expect(undone.body.undo).toMatchObject({ restored: 2, recreated: 0, deleted: 1, conflicts: 1 });
  expect(await waiting(site)).toMatchObject({ added: 0, changed: 2, removed: 1 });
});

test('chosen redirects return, others of any website stay', async () => {
  const [{ site, ids }, other] = [await liveSite(), await liveSite()];
  for (const id of [...ids, ...other.ids]) await put(id, { new_path: '/y' });
  const { body } = await discard(site, { redirect_ids: [ids[1], other.ids[0]] });
  expect(body).toMatchObject({ discard: { restored: 1 } });
  expect((await list(site)).map(({ new_path }: { new_path: string }) => new_path)).toEqual(['/y', '/x', '/y', '/x']);
  expect(await waiting(other.site)).toMatchObject({ changed: 3 });
});

test('after a rollback, the redirects return to the version that is live again', async () => {
  const { site, ids } = await liveSite();
  const [a, b] = ids;
  await put(a, { new_path: '/2' });
  await owner.call('DELETE', `/api/redirects/${b}`);
  await deploy(owner, site);
  await addRedirect(owner, site, { old_path: '/later', new_path: '/x' });
  await deploy(owner, site);
  await rollBack(owner, site, 1);
  expect(await waiting(site)).toMatchObject({ added: 1, changed: 1, removed: 1 });
  expect((await discard(site)).body).toMatchObject({ discard: { restored: 1, recreated: 1, deleted: 1 } });
  expect(await waiting(site)).toEqual({ added: 0, changed: 0, removed: 0 });
});

test('a path that another redirect took meanwhile stays, and is named', async () => {
  const { site, ids } = await liveSite();
  const [a, b] = ids;
  await put(a, { old_path: '/moved' });
  await put(b, { old_path: '/a' });
  const only = await discard(site, { redirect_ids: [a] });
  expect(only.body).toMatchObject({
    discard: { restored: 0, conflicts: 1 },
    conflicts: [{ redirect_id: a, old_path: '/moved', code: 'CONFLICT' }],
  });
});

test('is rejected without a live version, for a promotion, for a stranger, and for wrong fields', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  await addRedirect(owner, site, { old_path: '/a', new_path: '/x' });
  const none = await discard(site);
  expect([none.status, none.body.code, none.body.details]).toEqual([
    409,
    'CONFLICT',
    'environment: nothing is live in production; delete the redirects that are not needed',
  ]);
  expect((await discard(site, { environment: 'live' })).status).toBe(422);
  expect((await discard(site, { redirect_ids: [] })).status).toBe(422);
  const { site: promoted } = await liveSite();
  await deploy(owner, promoted, 'staging');
  await promote(owner, promoted, 'staging', 'production');
  const { body } = await discard(promoted);
  expect(body.details).toMatch(/^environment: production serves the rules of staging; /);
  const stranger = await detour.account();
  expect((await discard(site, {}, stranger)).body.code).toBe('WEBSITE_NOT_FOUND');
});
