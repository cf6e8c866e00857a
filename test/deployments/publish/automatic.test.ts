/** auto_deploy: what changes is live soon, in exactly the environments that it touches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, deploymentsOf, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;

const ENVIRONMENTS = ['production', 'staging', 'development'];

interface Site {
  id: number;
  /** environments in which the path leads to the target now */
  liveIn(path: string, target: string): Promise<string[]>;
}

async function newSite(options: Record<string, unknown> = {}): Promise<Site> {
  const name = `auto${++sites}.example`;
  const hosts = ENVIRONMENTS.map((environment) => ({ hostname: `${environment}.${name}`, environment }));
  const id = await createSite(owner, hosts, options);
  return {
    id,
    async liveIn(path, target) {
      const live: string[] = [];
      for (const environment of ENVIRONMENTS) {
        if ((await detour.visit(`${environment}.${name}`, path)).location === target) live.push(environment);
      }
      return live;
    },
  };
}

/** The live version of each environment after all deployments have ended; 0 before the first. */
const versions = (id: number): Promise<number[]> =>
  Promise.all(ENVIRONMENTS.map(async (environment) => (await settled(owner, id, environment))[0]?.version ?? 0));

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

describe('a change is deployed to exactly the environments that it touches', () => {
  test('a new redirect deploys its target environments: production by default, none for a draft', async () => {
    const site = await newSite();
    await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1' });
    expect(await versions(site.id)).toEqual([1, 0, 0]);
    await addRedirect(owner, site.id, {
      old_path: '/b',
      new_path: '/2',
      target_environments: 'staging,development',
    });
    expect(await versions(site.id)).toEqual([1, 1, 1]);
    await addRedirect(owner, site.id, { old_path: '/c', new_path: '/3', target_environments: '' });
    expect(await versions(site.id)).toEqual([1, 1, 1]);
    expect(await site.liveIn('/a', '/1')).toEqual(['production']);
    expect(await site.liveIn('/b', '/2')).toEqual(['staging', 'development']);
    expect(await site.liveIn('/c', '/3')).toEqual([]);
  });

  test('updating the target: those it is targeted at; moving: the old ones and the new ones', async () => {
    const site = await newSite();
    const id = await addRedirect(owner, site.id, {
      old_path: '/a',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    expect(await versions(site.id)).toEqual([1, 1, 0]);
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
    expect(await versions(site.id)).toEqual([2, 2, 0]);
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: 'staging,development' });
    expect(await versions(site.id)).toEqual([3, 2, 1]);
    expect(await site.liveIn('/a', '/2')).toEqual(['staging', 'development']);
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: '' });
    expect(await versions(site.id)).toEqual([3, 3, 2]);
    expect(await site.liveIn('/a', '/2')).toEqual([]);
  });

  test('renaming: the old path stops, the new one answers', async () => {
    const site = await newSite();
    const id = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1' });
    await owner.call('PUT', `/api/redirects/${id}`, { old_path: '/b' });
    await settled(owner, site.id);
    expect([await site.liveIn('/a', '/1'), await site.liveIn('/b', '/1')]).toEqual([[], ['production']]);
  });

  test('deleting, one or many: those they were targeted at', async () => {
    const site = await newSite();
    const a = await addRedirect(owner, site.id, {
      old_path: '/a',
      new_path: '/1',
      target_environments: 'staging',
    });
    const b = await addRedirect(owner, site.id, { old_path: '/b', new_path: '/1' });
    const draft = await addRedirect(owner, site.id, {
      old_path: '/c',
      new_path: '/1',
      target_environments: '',
    });
    expect(await versions(site.id)).toEqual([1, 1, 0]);
    await owner.call('DELETE', `/api/redirects/${a}`);
    expect(await versions(site.id)).toEqual([1, 2, 0]);
    await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds: [b, draft] });
    expect(await versions(site.id)).toEqual([2, 2, 0]);
    expect(await site.liveIn('/a', '/1')).toEqual([]);
  });

  test('bulk-update: those of each redirect before and after', async () => {
    const site = await newSite();
    const a = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1' });
    const b = await addRedirect(owner, site.id, {
      old_path: '/b',
      new_path: '/1',
      target_environments: 'staging',
    });
    await settled(owner, site.id);
    await owner.call('POST', '/api/redirects/bulk-update', {
      redirectIds: [a, b],
      updates: { target_environments: 'production' },
    });
    expect(await versions(site.id)).toEqual([2, 2, 0]);
    expect(await site.liveIn('/b', '/1')).toEqual(['production']);
  });

  test('an import: those of its rows, and its answer names the deployments', async () => {
    const site = await newSite();
    const form = new FormData();
    form.set('website_id', String(site.id));
    const rows = ['/a,/1,"production,development"', '/b,/1,'];
    form.set('file', new Blob([['old_path,new_path,target_environments', ...rows].join('\n')]), 'rules.csv');
    const { status, body } = await owner.call('POST', '/api/redirects/import', form);
    expect([status, body.imported]).toEqual([200, 2]);
    const all = await settled(owner, site.id);
    expect([...body.deployments].sort()).toEqual(all.map(({ id }) => id).sort());
    expect(await site.liveIn('/a', '/1')).toEqual(['production', 'development']);
  });
});

describe('what is not seen by visitors deploys nothing', () => {
  test('notes, group, and writing what stands there already', async () => {
    const site = await newSite();
    const id = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1', group_id: 'x' });
    const before = await settled(owner, site.id);
    const changes = [
      { notes: 'a note' },
      { group_id: 'y' },
      { group_id: null },
      { new_path: '/1', status_code: 301, target_environments: 'production' },
    ];
    for (const change of changes) {
      expect((await owner.call('PUT', `/api/redirects/${id}`, change)).status).toBe(200);
    }
    const ids = { redirectIds: [id] };
    await owner.call('POST', '/api/redirects/bulk-update', {
      ...ids,
      updates: { notes: 'other', group_id: 'z' },
    });
    expect((await deploymentsOf(owner, site.id)).map((each) => each.id)).toEqual(before.map((each) => each.id));
  });

  test('a change of a draft, until it is targeted', async () => {
    const site = await newSite();
    const id = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1', target_environments: '' });
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
    expect(await deploymentsOf(owner, site.id)).toEqual([]);
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: 'production' });
    await settled(owner, site.id);
    expect(await site.liveIn('/a', '/2')).toEqual(['production']);
  });

  test('creating a website, its hosts and its options', async () => {
    const site = await newSite();
    await owner.call('PUT', `/api/websites/${site.id}`, { query: 'drop', hosts: [] });
    expect(await deploymentsOf(owner, site.id)).toEqual([]);
  });

  test('a write that is refused', async () => {
    const site = await newSite();
    await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1' });
    const before = await settled(owner, site.id);
    const refused = await owner.call('POST', '/api/redirects', {
      website_id: site.id,
      old_path: '/a',
      new_path: '/2',
    });
    expect(refused.status).toBe(409);
    expect(await deploymentsOf(owner, site.id)).toEqual(before);
  });
});

describe('auto_deploy off', () => {
  test('nothing is live until a call, then all that gathered', async () => {
    const site = await newSite({ auto_deploy: false });
    const id = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1' });
    await addRedirect(owner, site.id, {
      old_path: '/b',
      new_path: '/2',
      target_environments: 'production,staging',
    });
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/3' });
    expect(await deploymentsOf(owner, site.id)).toEqual([]);
    expect(await site.liveIn('/b', '/2')).toEqual([]);
    expect(await deploy(owner, site.id)).toMatchObject({
      version: 1,
      redirect_count: 2,
      changes: { added: 2, changed: 0, removed: 0 },
    });
    expect([await site.liveIn('/a', '/3'), await site.liveIn('/b', '/2')]).toEqual([['production'], ['production']]);
    await owner.call('DELETE', `/api/redirects/${id}`);
    expect(await site.liveIn('/a', '/3')).toEqual(['production']);
    expect(await versions(site.id)).toEqual([1, 0, 0]);
  });

  test('switching it on deploys what gathered', async () => {
    const site = await newSite({ auto_deploy: false });
    await addRedirect(owner, site.id, { old_path: '/a', new_path: '/1', target_environments: 'staging' });
    await owner.call('PUT', `/api/websites/${site.id}`, { auto_deploy: true });
    await until(async () => (await site.liveIn('/a', '/1')).includes('staging'));
  });
});

test('an edit is live within a second', async () => {
  const site = await newSite();
  const id = await addRedirect(owner, site.id, { old_path: '/a', new_path: '/0' });
  await settled(owner, site.id);
  for (let i = 1; i <= 5; i++) {
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
    await until(async () => (await site.liveIn('/a', `/${i}`)).length > 0, 1_000);
  }
});

test('many quick edits are taken together: fewer deployments than edits, and the last state is live', async () => {
  const site = await newSite();
  const edits = Array.from({ length: 100 }, (_, i) =>
    addRedirect(owner, site.id, { old_path: `/p${i}`, new_path: '/to' }),
  );
  await Promise.all(edits);
  const all = await settled(owner, site.id);
  expect(all.length).toBeLessThan(100);
  expect(all[0]).toMatchObject({ version: all.length, redirect_count: 100 });
  expect(all.reduce((sum, { changes }) => sum + (changes?.added ?? 0), 0)).toBe(100);
  for (let i = 0; i < 100; i += 9) expect((await site.liveIn(`/p${i}`, '/to')).length).toBe(1);
});
