/** From visits at the edge to their reports: the analytics API, the list by hits, the paths without a redirect. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'journey.example.com';
const BROWSER = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour({ TRUST_PROXY: '1', COUNTRY_HEADER: 'cf-ipcountry' });
  owner = await detour.account('pro');
});
afterAll(() => detour.stop());

test('every report counts the visits that matched a redirect and those that did not', async () => {
  const site = await createSite(owner, [HOST]);
  const often = await addRedirect(owner, site, { old_path: '/often', new_path: '/guides/painting-fences' });
  const once = await addRedirect(owner, site, { old_path: '/once', new_path: '/x' });
  const never = await addRedirect(owner, site, { old_path: '/never', new_path: '/y' });
  await settled(owner, site);
  const get = (path: string, address: string, country: string, agent = BROWSER, method = 'GET') =>
    detour.visit(HOST, path, {
      method,
      headers: { 'user-agent': agent, 'x-forwarded-for': address, 'cf-ipcountry': country },
    });
  for (const [path, address, country] of [
    ['/often', '192.0.2.1', 'DE'],
    ['/often', '192.0.2.1', 'DE'],
    ['/often', '192.0.2.2', 'SE'],
    ['/once', '192.0.2.1', 'DE'],
    ['/guide/painting-fence', '192.0.2.3', 'FR'],
    ['/wp-login.php', '192.0.2.4', 'FR'],
  ] as const)
    await get(path, address, country);
  await get('/often', '192.0.2.9', 'US', BOT);
  await get('/often', '192.0.2.1', 'DE', BROWSER, 'HEAD');

  const overview = await until(async () => {
    const { body } = await owner.keyCall('GET', `/v1/analytics/overview?website_id=${site}&period=2d`);
    return body.total_hits + body.bot_hits + body.not_found === 7 && body;
  });
  expect(overview).toMatchObject({
    total_hits: 4,
    unique_visitors: 2,
    avg_response_time: expect.stringMatching(/^\d+(\.\d+)?ms$/),
    top_countries: ['DE', 'SE'],
    bot_hits: 1,
    not_found: 2,
    top_redirects: [
      { redirect_id: String(often), old_path: '/often', hits: 3 },
      { redirect_id: String(once), old_path: '/once', hits: 1 },
    ],
  });
  // Midnight may pass between the visits.
  expect(overview.daily_hits).toHaveLength(2);
  expect(overview.daily_hits[0].hits + overview.daily_hits[1].hits).toBe(4);

  const { body: one } = await owner.keyCall('GET', `/api/v1/analytics/redirects/${often}?period=2d`);
  expect(one).toMatchObject({ total_hits: 3, unique_visitors: 2, top_countries: ['DE', 'SE'], bot_hits: 1 });

  const list = await owner.call('GET', `/api/redirects?website_id=${site}&sort=-hits&hits_since=2d`);
  const hits = list.body.redirects.map((each: { id: number; hits: number; last_hit_at: string | null }) => [
    each.id,
    each.hits,
    each.last_hit_at === null,
  ]);
  expect(hits).toEqual([
    [often, 3, false],
    [once, 1, false],
    [never, 0, true],
  ]);

  const inbox = await until(async () => {
    const { body } = await owner.call('GET', `/api/websites/${site}/not-found`);
    return !body.pending && body;
  });
  expect(inbox.paths).toMatchObject([
    {
      path: '/guide/painting-fence',
      hits: 1,
      noise: false,
      suggestions: [{ new_path: '/guides/painting-fences' }],
    },
    { path: '/wp-login.php', hits: 1, noise: true, suggestions: [] },
  ]);
  await owner.call('POST', `/api/websites/${site}/not-found/ignore`, { paths: ['/guide/painting-fence'] });
  await get('/guide/painting-fence', '192.0.2.5', 'FR');
  const ignored = await until(async () => {
    const { body } = await owner.call('GET', `/api/websites/${site}/not-found?ignored=true`);
    return body.paths[0]?.hits === 2 && body.paths;
  });
  expect(ignored).toHaveLength(1);
  expect((await owner.call('GET', `/api/websites/${site}/not-found?noise=false`)).body.paths).toEqual([]);
});
