/** Reports use stored counts. After any concurrent operations they equal a recount of all redirects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { periodOf, periodsIn } from '../../src/analytics/period.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { seeded } from '../support/random.ts';
import { createSite, settled } from '../support/site.ts';
import { inSoak } from '../support/soak.ts';
import { expectStatus } from '../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

interface Listed {
  id: number;
  group_id: string | null;
  created_at: string;
  deployed_to_prod: string | null;
  deployed_to_staging: string | null;
  deployed_to_dev: string | null;
}

const isDeployed = (one: Listed): boolean =>
  [one.deployed_to_prod, one.deployed_to_staging, one.deployed_to_dev].some((time) => time !== null);

const counted = (all: Listed[]) => ({
  redirect_count: all.length,
  deployed_count: all.filter(isDeployed).length,
});

const RANGE = { startDate: '2026-01-01', endDate: '2030-12-31' };
const QUERY = `start_date=${RANGE.startDate}&end_date=${RANGE.endDate}&group_by=month`;

/** The expected report, counted from the list of all redirects. */
async function recounted(websiteId: number) {
  const all: Listed[] = (await owner.call('GET', `/api/redirects?website_id=${websiteId}`)).body.redirects;
  const groups = new Map<string, Listed[]>();
  for (const one of all) {
    if (one.group_id !== null) groups.set(one.group_id, [...(groups.get(one.group_id) ?? []), one]);
  }
  const total = counted(all);
  return {
    overview: {
      total_redirects: total.redirect_count,
      deployed_redirects: total.deployed_count,
      total_groups: groups.size,
    },
    time_series: periodsIn(RANGE, 'month').map((period) => ({
      period,
      ...counted(all.filter((one) => periodOf(one.created_at.slice(0, 10), 'month') === period)),
    })),
    top_groups: [...groups]
      .map(([group_id, members]) => ({ group_id, ...counted(members) }))
      .toSorted((a, b) => b.redirect_count - a.redirect_count || (a.group_id < b.group_id ? -1 : 1))
      .slice(0, 10),
  };
}

async function reported(websiteId: number) {
  const { status, text, body } = await owner.keyCall('GET', `/api/v1/analytics?website_id=${websiteId}&${QUERY}`);
  expectStatus({ status, text }, 200);
  return body.analytics;
}

async function expectExact(websiteId: number): Promise<void> {
  const { environments, ...rest } = await reported(websiteId);
  expect(rest).toEqual(await recounted(websiteId));
  expect(environments).toEqual(await servedCounts(websiteId));
}

async function servedCounts(websiteId: number) {
  const served = { production_deployed: 0, staging_deployed: 0, development_deployed: 0 };
  const all = await settled(owner, websiteId);
  for (const environment of ['production', 'staging', 'development'] as const) {
    const last = all
      .filter((one) => one.environment === environment && one.version !== null)
      .toSorted((a, b) => (b.version ?? 0) - (a.version ?? 0))[0];
    served[`${environment}_deployed`] = last?.redirect_count ?? 0;
  }
  return served;
}

function randomOf(seed: number): (limit: number) => number {
  const next = seeded(seed);
  return (limit) => Math.floor(next() * limit);
}

const TARGETS = ['', 'production', 'staging', 'development', 'production,staging', 'production,staging,development'];
const GROUPS = ['blog', 'shop', 'Shop', 'help', 'ä', 'a', 'b', 'c', 'd', 'e', 'f', 'g', null, null];
const ENVIRONMENTS = ['production', 'staging', 'development'];

/** A random operation of a user. Rejections (conflicts, no version to roll back to) are expected, failures are not. */
async function doSomething(websiteId: number, random: (below: number) => number): Promise<void> {
  const pick = <T>(list: readonly T[]): T => {
    const one = list[random(list.length)];
    if (one === undefined) throw new Error('an empty list');
    return one;
  };
  const fields = () => ({ group_id: pick(GROUPS), target_environments: pick(TARGETS) });
  const path = (): string => `/p${random(400)}`;
  const some = async (maxCount: number): Promise<number[]> => {
    const { rows } = await detour.db.$client.query<{ id: number }>(
      `select id from redirects where website_id = $1 and id >= $2 order by id limit $3`,
      [websiteId, random(2_000), 1 + random(maxCount)],
    );
    return [...rows.map((row) => row.id), 1];
  };
  const call = async (method: string, to: string, body?: unknown): Promise<void> => {
    const { status, text } = await owner.call(method, to, body);
    expect([method, to, status, text, status < 500]).toEqual([method, to, status, text, true]);
  };
  const one = async (): Promise<number> => (await some(1))[0] ?? 0;

  const kind = random(100);
  if (kind < 30)
    return call('POST', '/api/redirects', {
      website_id: websiteId,
      old_path: path(),
      new_path: `/t${random(9)}`,
      ...fields(),
    });
  if (kind < 45) return call('PUT', `/api/redirects/${await one()}`, fields());
  if (kind < 52) return call('PUT', `/api/redirects/${await one()}`, { new_path: `/t${random(99)}` });
  if (kind < 60) return call('DELETE', `/api/redirects/${await one()}`);
  if (kind < 66) return call('POST', '/api/redirects/bulk-update', { redirectIds: await some(20), updates: fields() });
  if (kind < 69) return call('DELETE', '/api/redirects/bulk-delete', { redirectIds: await some(10) });
  if (kind < 79) return restoreSomething(websiteId, pick, call);
  if (kind < 83) return importSomething(websiteId, random, pick(['skip', 'update']));
  if (kind < 95) return call('POST', '/api/deployments', { website_id: websiteId, environment: pick(ENVIRONMENTS) });
  if (kind < 98)
    return call('POST', '/api/deployments/rollback', {
      website_id: websiteId,
      environment: pick(ENVIRONMENTS),
      version: 1 + random(6),
    });
  return call('POST', '/api/deployments/promote', {
    website_id: websiteId,
    from: pick(ENVIRONMENTS),
    to: pick(ENVIRONMENTS),
  });
}

async function restoreSomething(
  websiteId: number,
  pick: <T>(list: readonly T[]) => T,
  call: (method: string, to: string, body: unknown) => Promise<void>,
): Promise<void> {
  const { rows } = await detour.db.$client.query<{ id: string }>(
    `select id from events where website_id = $1 and event in ('redirect.deleted', 'redirect.updated') order by id desc limit 20`,
    [websiteId],
  );
  if (rows.length > 0) await call('POST', '/api/redirects/restore', { website_id: websiteId, event_id: pick(rows).id });
}

async function importSomething(
  websiteId: number,
  random: (below: number) => number,
  onConflict: string,
): Promise<void> {
  const rows = Array.from({ length: 30 }, () => {
    const targets = TARGETS[random(TARGETS.length)] ?? '';
    return `/p${random(500)},/i${random(9)},${GROUPS[random(GROUPS.length)] ?? ''},"${targets}"`;
  });
  const form = new FormData();
  form.append('file', new Blob([`old_path,new_path,group_id,target_environments\n${rows.join('\n')}\n`]), 'some.csv');
  const { status, text } = await owner.call(
    'POST',
    `/api/redirects/import?website_id=${websiteId}&on_conflict=${onConflict}`,
    form,
  );
  expectStatus({ status, text }, 200);
}

describe('a report equals a recount', () => {
  test.each([
    ['deployed automatically', true, 11],
    ['deployed by request', false, 12],
  ])(
    'after hundreds of operations, eight at a time, on a website that is %s',
    async (_name, autoDeploy, seed) => {
      const websiteId = await createSite(owner, [`recount${seed}.example.com`], { auto_deploy: autoDeploy });
      const random = randomOf(seed);
      for (let round = 0; round < inSoak(5, 1); round++) {
        const workers = Array.from({ length: 8 }, async () => {
          for (let i = 0; i < 13; i++) await doSomething(websiteId, random);
        });
        await Promise.all(workers);
        await settled(owner, websiteId);
        await expectExact(websiteId);
      }
      // Redirects of different months.
      await detour.db.$client.query(
        `update redirects set created_at = '2026-01-31T23:59:59.999Z'::timestamptz + (id % 30) * interval '1 month' where website_id = $1`,
        [websiteId],
      );
      await expectExact(websiteId);
    },
    120_000,
  );
});
