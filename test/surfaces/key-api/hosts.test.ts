/**
 * POST and DELETE /api/v1/websites/{id}/hosts, and large lists of hosts. Holds the rules of
 * src/surfaces/key-api/hosts-wire.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eq, sql } from '../../../src/db/drizzle.ts';
import { websiteHosts } from '../../../src/db/schema/websites.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { createSite } from '../../support/site.ts';
import { newHost } from '../session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const change = (method: 'POST' | 'DELETE', id: number, hosts: unknown) =>
  owner.keyCall(method, `/api/v1/websites/${id}/hosts`, { hosts });
const hostsOf = async (id: number) =>
  (await owner.call('GET', `/api/websites/${id}`)).body.website.hosts.map(
    ({ hostname, environment, redirect_to: to }: { hostname: string; environment: string; redirect_to: unknown }) =>
      to ? [hostname, environment, to] : [hostname, environment],
  );
const production = (hostname: string) => ({ hostname, environment: 'production' });

test('hosts are added at the end, changed in place and removed, and are served at once', async () => {
  const [a, b, c] = [newHost(), newHost(), newHost()];
  const id = await createSite(owner, [a, b]);
  const redirect_to = { url: 'https://bücher.example' };
  const added = await change('POST', id, [
    production(c),
    { ...production(a), environment: 'staging' },
    { ...production(`x.${c}`), redirect_to },
    production(b.toUpperCase()),
  ]);
  expect(added.body).toEqual({ added: 2, updated: 1, unchanged: 1, host_count: 4 });
  const stored = { url: 'https://xn--bcher-kva.example', status_code: 301, keep_path: true };
  const list = [
    [a, 'staging'],
    [b, 'production'],
    [c, 'production'],
    [`x.${c}`, 'production', stored],
  ];
  expect(await hostsOf(id)).toEqual(list);
  expect((await detour.visit(`x.${c}`, '/p')).location).toBe('https://xn--bcher-kva.example/p');
  expect((await change('POST', id, [production(c)])).body).toMatchObject({ added: 0, updated: 0, unchanged: 1 });

  const removed = await change('DELETE', id, [b, c, b, newHost()]);
  expect(removed.body).toEqual({ removed: 2, unknown: 1, host_count: 2 });
  expect(await hostsOf(id)).toEqual([list[0], list[3]]);
  expect((await detour.visit(c, '/p')).status).toBe(421);
  const { entries } = (await owner.call('GET', '/api/audit?limit=5')).body;
  expect(entries.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['website.hosts_changed']),
  );
});

test('an invalid, taken or looping host changes nothing and is named', async () => {
  const [a, b, taken] = [newHost(), newHost(), newHost()];
  const id = await createSite(owner, [a]);
  await createSite(owner, [taken]);
  const to = (host: string) => ({ redirect_to: { url: `https://${host}` } });
  const refusals: [hosts: unknown, status: number, code: string, details: string][] = [
    [[production(b), { hostname: b }], 400, 'MISSING_PARAMETER', 'hosts[1].environment'],
    [[production(b), production('xn--zzzzzz9999.example')], 422, 'VALIDATION_ERROR', 'hosts[1].hostname'],
    [[production(b), production(taken)], 409, 'CONFLICT', taken],
    [
      [
        { ...production(b), ...to(`x.${b}`) },
        { ...production(`x.${b}`), ...to(b) },
      ],
      422,
      'VALIDATION_ERROR',
      'would redirect to itself',
    ],
    [
      [
        { ...production(b), ...to(a) },
        { ...production(a), ...to(b) },
      ],
      422,
      'VALIDATION_ERROR',
      'would redirect to itself',
    ],
    ['a', 400, 'INVALID_PARAMETER', 'hosts'],
  ];
  for (const [hosts, status, code, details] of refusals) {
    const { body, ...response } = await change('POST', id, hosts);
    expect([response.status, body.code, body.details]).toEqual([status, code, expect.stringContaining(details)]);
  }
  const wrong = await change('DELETE', id, [a, 'https://x']);
  expect([wrong.status, wrong.body.issues?.[0].path]).toEqual([422, 'hosts[1]']);
  expect(await hostsOf(id)).toEqual([[a, 'production']]);
});

test('removing a host must not let a wildcard redirect to itself', async () => {
  const base = newHost();
  const id = await createSite(owner, [`x.${base}`]);
  const redirect_to = { url: `https://x.${base}` };
  expect((await change('POST', id, [{ ...production(`*.${base}`), redirect_to }])).status).toBe(200);
  const { status, body } = await change('DELETE', id, [`x.${base}`]);
  expect([status, body.code]).toEqual([422, 'REDIRECT_LOOP']);
});

test('10,000 domain redirects fit into one body, and one host more or less writes no other row', async () => {
  const base = newHost();
  const url = `https://www.example.com/${'long-path/'.repeat(15)}`;
  const hosts = Array.from({ length: 9_999 }, (_, n) => ({ ...production(`h${n}.${base}`), redirect_to: { url } }));
  expect(JSON.stringify({ hosts }).length).toBeGreaterThan(2 ** 20);
  const created = await owner.call('POST', '/api/websites', { name: 'Large', hosts });
  expect([created.status, created.body.website?.host_count]).toEqual([201, 9_999]);
  const id: number = created.body.website.id;
  const writers = async (): Promise<number | undefined> => {
    const count = sql<number>`count(distinct xmin::text)::int`;
    const rows = await detour.db.select({ count }).from(websiteHosts).where(eq(websiteHosts.websiteId, id));
    return rows[0]?.count;
  };
  expect(await writers()).toBe(1);
  expect((await change('POST', id, [production(`last.${base}`)])).body).toMatchObject({ added: 1, host_count: 10_000 });
  expect(await writers()).toBe(2);
  expect((await change('POST', id, [production(`more.${base}`)])).body.code).toBe('TOO_MANY_ITEMS');
  expect((await change('DELETE', id, [`last.${base}`])).body.host_count).toBe(9_999);
  expect(await writers()).toBe(1);
  const removed = await change(
    'DELETE',
    id,
    hosts.map(({ hostname }) => hostname),
  );
  expect(removed.body).toEqual({ removed: 9_999, unknown: 0, host_count: 0 });
  const tooMany = await owner.call('PUT', `/api/websites/${id}`, { hosts: [...hosts, ...hosts] });
  expect([tooMany.status, tooMany.body.code]).toEqual([422, 'TOO_MANY_ITEMS']);
}, 120_000);
