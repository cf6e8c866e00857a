/** Holds the rules of src/redirects/list/search.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let id: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  id = await createSite(owner, ['count.example.com']);
  await addRedirect(owner, id, { old_path: '/a', new_path: '/x', group_id: 'one' });
  await addRedirect(owner, id, { old_path: '/b', new_path: '/x', target_environments: 'staging' });
  await addRedirect(owner, id, { old_path: '/c/(.*)', new_path: '/y', is_regex: true, status_code: 302 });
});
afterAll(() => detour.stop());

/** Redirects whose paths are written in several spellings, on a host of their own. */
async function createSpelled(of: TestAccount): Promise<number> {
  const spelled = await createSite(of, ['spelled.example.com', 'other.example.net'], {
    allowed_target_hosts: ['spelled.example.com'],
  });
  await addRedirect(of, spelled, { old_path: '/m%C3%BCsli', new_path: 'https://spelled.example.com/caf%c3%a9' });
  await addRedirect(of, spelled, { old_path: '/grün?farbe=1', new_path: '/50%25_off' });
  await addRedirect(of, spelled, { old_path: '/shoes/red', new_path: '/boots/red' });
  return spelled;
}

test('a text finds paths in any spelling, by words and by URL', async () => {
  const other = await detour.account();
  const spelled = await createSpelled(other);
  const found = async (q: string) => {
    const { body } = await other.call('GET', `/api/redirects?website_id=${spelled}&q=${encodeURIComponent(q)}`);
    return body.redirects.map(({ old_path }: { old_path: string }) => old_path);
  };
  const [muesli, green, shoes] = ['/m%C3%BCsli', '/grün?farbe=1', '/shoes/red'];
  const cases: [string, string[]][] = [
    ['müsli', [muesli]],
    ['M%c3%bcSLI', [muesli]],
    ['/café', [muesli]],
    ['/gr%C3%BCn?farbe', [green]],
    ['50%25_off', [green]],
    ['50%', [green]],
    ['50_', []],
    ['boots shoes', [shoes]],
    ['boots  farbe', []],
    ['https://spelled.example.com/grün?farbe=1', [green]],
    ['HTTPS://Spelled.Example.Com:8443/shoes', [shoes]],
    ['https://other.example.net/m%C3%BCsli', [muesli]],
    ['https://spelled.example.com/caf', [muesli]],
    ['https://spelled.example.com/', [muesli]],
    ['https://unknown.example.com/shoes/red', []],
  ];
  for (const [q, expected] of cases) expect([q, await found(q)]).toEqual([q, expected]);
});

const count = async (query: string, of = owner) => {
  const { status, body } = await of.call('GET', `/api/redirects/count?${query}`);
  return status === 200 ? body.count : [status, body.code];
};

test.each([
  ['', 3],
  ['q=/x', 2],
  ['q=/X', 2],
  ['environment=staging', 1],
  ['status_code=302', 1],
  ['is_regex=false', 2],
  ['group=one', 1],
  ['group=', 2],
  ['q=/x&group=one', 1],
  ['q=nothing', 0],
])('%j counts %i, as many as the list has', async (query, expected) => {
  expect(await count(`website_id=${id}&${query}`)).toBe(expected);
  const list = await owner.call('GET', `/api/redirects?website_id=${id}&${query}`);
  expect(list.body.redirects).toHaveLength(expected);
});

test('without a website counts all redirects of the account and of no other', async () => {
  const other = await detour.account();
  await addRedirect(other, await createSite(other, ['other.example.com']), {
    old_path: '/a',
    new_path: '/b',
  });
  expect(await count('')).toBe(3);
  expect(await count('', other)).toBe(1);
  expect(await count(`website_id=${id}`, other)).toEqual([404, 'WEBSITE_NOT_FOUND']);
});

test.each(['limit=1', 'sort=id', 'cursor=x', 'environment=nowhere', 'status_code=200'])('%s is 400', async (query) => {
  expect(await count(`website_id=${id}&${query}`)).toEqual([400, 'INVALID_PARAMETER']);
});
