/** Patterns whose work is not bounded are rejected when they are written; all accepted ones are matched. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite, settled } from '../support/site.ts';
import { expectRefusal, importFile, redirectsOf } from '../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** Each keeps 20 or more states active on paths of a and b, and shares none with the others. */
const hostile = (index: number) => `/a${'a?'.repeat(index % 7)}[ab]*(?:[ab][ab]?){${10 + (index % 10)}}(?:${index}|!)`;
const csv = (rows: string[]) => ['old_path,new_path,is_regex', ...rows.map((row) => `${row},true`)].join('\n');

test('an import applies the hostile patterns that stay within the limit, and reports the others', async () => {
  const id = await createSite(owner, ['hostile.example']);
  const patterns = Array.from({ length: 100 }, (_, index) => hostile(index));
  const { body } = await importFile(owner, csv(patterns.map((each, i) => `"${each}",/t${i}`)), {
    website_id: String(id),
  });
  expect(body.imported + body.error_count).toBe(100);
  expect(body.imported).toBeGreaterThan(5);
  expect(new Set(body.errors.map(({ code }: { code: string }) => code))).toEqual(new Set(['TOO_MANY_PATTERNS']));
  await settled(owner, id);
  const first = await detour.visit('hostile.example', `/a${'ab'.repeat(30)}!`);
  // All begin with /a, so the longest wins, then byte order.
  const path = `/a${'ab'.repeat(30)}!`;
  const rules: { old_path: string; new_path: string }[] = await redirectsOf(owner, id);
  const matching = rules.filter(({ old_path }) => new RegExp(`^(?:${old_path})$`).test(path));
  matching.sort((a, b) => b.old_path.length - a.old_path.length || (a.old_path < b.old_path ? -1 : 1));
  expect([first.status, first.location]).toEqual([301, matching[0]?.new_path]);
  expect((await detour.visit('hostile.example', `/${'a'.repeat(2_040)}`)).status).toBe(404);
});

test('a pattern that the set cannot take is 422 with the reason, and a cheap one is still accepted', async () => {
  const id = await createSite(owner, ['full.example']);
  const create = (old_path: string) =>
    owner.call('POST', '/api/redirects', { website_id: id, old_path, new_path: '/x', is_regex: true });
  let created = 0;
  let last = await create(hostile(0));
  for (; last.status === 201 && created < 100; created++) last = await create(hostile(created + 1));
  expectRefusal(last, 422, 'TOO_MANY_PATTERNS');
  expect(last.body.details).toContain('would take too long on some paths');
  expect((await create('/blog/([^/]+)')).status).toBe(201);
  expect(await redirectsOf(owner, id)).toHaveLength(created + 1);
});

test('a pattern that alone takes too long is 422 INVALID_REGEX', async () => {
  const id = await createSite(owner, ['alone.example']);
  const pairs = Array.from({ length: 20 }, (_, i) => `[a${String.fromCharCode(98 + i)}]a`);
  const old_path = `/(?:${pairs.join('|')})*`;
  const answer = await owner.call('POST', '/api/redirects', {
    website_id: id,
    old_path,
    new_path: '/x',
    is_regex: true,
  });
  expectRefusal(answer, 422, 'INVALID_REGEX');
});

test('patterns with one beginning are matched, and the tester lists 100 of those that do not win', async () => {
  const id = await createSite(owner, ['shop.example']);
  const rows = Array.from({ length: 2_000 }, (_, i) => [
    `/p/(\\d+)/item-${i},/i/${i}/$1`,
    `/p/.*${i},/any/${i}`,
  ]).flat();
  // Different texts for the same paths.
  const same = Array.from({ length: 150 }, (_, i) => `/same/(?P<n${i}>.*),/s/${i}`);
  const { body } = await importFile(owner, csv([...rows, ...same]), { website_id: String(id) });
  expect(body).toMatchObject({ imported: 4_150, error_count: 0 });
  await settled(owner, id);
  expect((await detour.visit('shop.example', '/p/12/item-1234')).location).toBe('/i/1234/12');
  expect((await detour.visit('shop.example', '/p/x/1777')).location).toBe('/any/1777');
  const tested = await owner.call('POST', '/api/redirects/test', { website_id: id, url: '/same/x' });
  expect(tested.body.match.location).toBe('/s/100');
  expect([tested.body.beaten.length, tested.body.beaten_count]).toEqual([100, 149]);
});
