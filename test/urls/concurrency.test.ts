/** Pushes, uploads and fetches while another process works on the same website, or deletes it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeDeletedWebsites } from '../../src/websites/delete.ts';
import { send, startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
/** of another process */
let other: string;
let server: Server;
let origin: string;
/** Those of a sitemap that is requested are sent when its text is there; a sitemap without text responds with 404. */
const sitemaps = new Map<string, Promise<string>>();
let requests = 0;

beforeAll(async () => {
  detour = await startTestDetour({ WEBHOOK_EGRESS: 'private' });
  owner = await detour.account();
  other = (await detour.another()).address;
  server = createServer((request, response) => {
    requests++;
    const text = sitemaps.get(request.url ?? '');
    if (text) void text.then((body) => response.end(body));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://shop.localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await detour.stop();
});

const call: TestAccount['keyCall'] = (method, path, body) => owner.keyCall(method, `/api/v1/websites/${path}`, body);
const callOther: TestAccount['keyCall'] = (method, path, body) =>
  send(other, method, `/api/v1/websites/${path}`, body, { authorization: `Bearer ${owner.key}` });
const rows = async (text: string) => (await detour.db.$client.query(text)).rows;

/** Resolves when so many sessions wait for a lock. */
const waiting = (count: number) =>
  until(async () => {
    const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return (await rows(text)).length === count;
  });

/** Locks what the statement reads. Returns the release. */
async function lock(select: string): Promise<() => Promise<void>> {
  const client = await detour.db.$client.connect();
  await client.query('begin');
  await client.query(select);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

/** Deletes the website as if that was two minutes ago. */
async function deleteSite(site: number): Promise<void> {
  expect((await call('DELETE', `${site}`)).status).toBe(200);
  await rows(`update websites set deleting_since = now() - interval '2 minutes' where id = ${site}`);
}

async function purge(): Promise<void> {
  while (await purgeDeletedWebsites(detour.db));
}

async function expectNothingLeft(site: number): Promise<void> {
  for (const table of ['urls', 'url_lists', 'url_list_versions', 'url_counts'])
    expect(await rows(`select from ${table} where website_id = ${site}`), table).toEqual([]);
  expect(await rows(`select from websites where id = ${site}`)).toEqual([]);
  expect(await rows(`select from pg_class where relname ~ '^(url_stage_|upload_stage)'`)).toEqual([]);
}

test('a part that another process sends during the commit is not acknowledged', async () => {
  const site = await createSite(owner, ['part.example']);
  await call('PUT', `${site}/urls/living`, ['/a']);
  const upload = `${site}/urls/uploads/${(await call('POST', `${site}/urls/uploads`)).body.upload.id}`;
  expect((await call('POST', `${upload}/parts`, ['/a', '/b'])).status).toBe(200);
  const release = await lock(`select from url_counts where website_id = ${site} for update`);
  const commit = call('POST', `${upload}/commit`);
  await waiting(1);
  const part = callOther('POST', `${upload}/parts`, ['/c']);
  await Promise.race([part, waiting(2)]);
  await release();
  expect(await commit).toMatchObject({ status: 200, body: { urls: { total: 2 } } });
  expect(await part).toMatchObject({ status: 404, body: { code: 'UPLOAD_NOT_FOUND' } });
});

test('a push that waits while its website is deleted changes nothing', async () => {
  const site = await createSite(owner, ['waiting.example']);
  await call('PUT', `${site}/urls/living`, ['/a']);
  const release = await lock(`select from url_counts where website_id = ${site} for update`);
  const push = call('PUT', `${site}/urls/living`, ['/a', '/b']);
  await waiting(1);
  await deleteSite(site);
  await release();
  expect(await push).toMatchObject({ status: 404, body: { code: 'WEBSITE_NOT_FOUND' } });
  await purge();
  await expectNothingLeft(site);
});

test('the rows of a first push that ends after the deletion of its website are purged', async () => {
  const site = await createSite(owner, ['running.example']);
  // The last lock of a push.
  const release = await lock(`select from accounts where id = ${owner.accountId} for no key update`);
  const push = call('PUT', `${site}/urls/living`, ['/a', '/b']);
  await waiting(1);
  await deleteSite(site);
  const purged = purge();
  await Promise.race([purged, waiting(2)]);
  await release();
  await Promise.all([push, purged]);
  await purge();
  await expectNothingLeft(site);
});

/** A sitemap whose response waits until `send`. */
function slowSitemap(path: string): () => void {
  const { promise, resolve } = Promise.withResolvers<string>();
  sitemaps.set(path, promise);
  return () => resolve(`<urlset xmlns="x"><url><loc>${origin}/a</loc></url></urlset>`);
}

test('of two fetches at once, the one that ends last says whether there is a problem', async () => {
  const site = await createSite(owner, ['shop.localhost'], { sitemap_urls: [`${origin}/slow.xml`] });
  const respond = slowSitemap('/slow.xml');
  const before = requests;
  const first = call('POST', `${site}/urls/fetch`);
  await until(async () => requests > before);
  sitemaps.delete('/slow.xml');
  const second = await callOther('POST', `${site}/urls/fetch`);
  expect(second.body.lists).toMatchObject([{ total: 0, problem: `${origin}/slow.xml answers 404` }]);
  respond();
  expect((await first).body.lists).toMatchObject([{ list: 'sitemap:1', total: 1, problem: null }]);
  await deleteSite(site);
});

test('a fetch leaves nothing of a website that is deleted', async () => {
  const addresses = [`${origin}/slow.xml`, `${origin}/more.xml`];
  const site = await createSite(owner, ['shop.localhost'], { sitemap_urls: addresses });
  const respond = slowSitemap('/slow.xml');
  const before = requests;
  const fetched = call('POST', `${site}/urls/fetch`);
  await until(async () => requests > before);
  await deleteSite(site);
  await purge();
  respond();
  expect((await fetched).status).toBe(404);
  await expectNothingLeft(site);
});
