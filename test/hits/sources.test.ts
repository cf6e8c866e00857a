/**
 * Referrer hosts and utm_source of real visits, from the request to the report. Holds the rules of
 * src/hits/report/hit-sources.ts and src/hits/counters/source-names.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCountries } from '../../src/hits/count/country.ts';
import { openVisitors } from '../../src/hits/count/visitor.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { hitRequest, localAggregator } from '../support/hits.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

async function newSite(host: string) {
  const websiteId = await createSite(owner, [host, `*.shop.${host}`]);
  const redirectId = await addRedirect(owner, websiteId, { old_path: '/old', new_path: '/new' });
  await settled(owner, websiteId);
  const report = async (path: string) => (await owner.keyCall('GET', `/api/v1/analytics/${path}`)).body;
  return {
    websiteId,
    redirectId,
    ofWebsite: (query = '') => report(`overview?website_id=${websiteId}${query}`),
    ofRedirect: (query = '') => report(`redirects/${redirectId}?${query}`),
  };
}

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0' };

/** A process of its own: it counts in memory, and merges what it writes with the others. */
async function anotherProcess() {
  const visitors = await openVisitors(detour.db, await openCountries(null), {
    secretKey: null,
    previousSecretKey: null,
  });
  return localAggregator({ db: detour.db, visitors });
}

test('visits count by referrer host and utm_source; own hosts are internal, and bots and unmatched paths do not count', async () => {
  const host = 'sources.example';
  const site = await newSite(host);
  const visits: [path: string, headers: Record<string, string>][] = [
    ['/old', { referer: 'https://news.example/private?q=1' }],
    ['/old?utm_source=Letter&utm_medium=x', { referer: 'https://NEWS.example/' }],
    ['/old?utm_source=letter', {}],
    ['/old', { referer: `https://${host}/page` }],
    ['/old', { referer: `https://a.shop.${host}/` }],
    ['/old', { referer: 'https://203.0.113.7/' }],
    ['/old', {}],
    ['/old?utm_source=bot', { referer: 'https://bot.example/', 'user-agent': 'Googlebot/2.1' }],
    ['/missing?utm_source=none', { referer: 'https://none.example/' }],
  ];
  for (const [path, headers] of visits) await detour.visit(host, path, { headers: { ...BROWSER, ...headers } });
  await until(async () => {
    const { total_hits, bot_hits, not_found } = await site.ofWebsite();
    return total_hits + bot_hits + not_found === visits.length;
  });
  const expected = {
    total_hits: 7,
    top_referrers: [{ host: 'news.example', hits: 2 }],
    referrer_hits: 5,
    internal_referrer_hits: 2,
    top_utm_sources: [{ source: 'letter', hits: 2 }],
    utm_source_hits: 2,
  };
  expect(await site.ofWebsite()).toMatchObject(expected);
  expect(await site.ofRedirect()).toMatchObject(expected);
  const csv = async (table: string, more = '') =>
    (
      await fetch(`${detour.address}/api/v1/analytics/export?website_id=${site.websiteId}&table=${table}${more}`, {
        headers: { authorization: `Bearer ${owner.key}` },
      }).then((response) => response.text())
    ).split('\n');
  const referrers = ['kind,host,hits', 'host,news.example,2', 'internal,,2', 'other,,1', 'direct,,2', ''];
  expect((await csv('referrers')).toSorted()).toEqual(referrers.toSorted());
  expect((await csv('referrers', `&redirect_id=${site.redirectId}`)).toSorted()).toEqual(referrers.toSorted());
  expect(await csv('utm_sources')).toEqual(['kind,utm_source,hits', 'source,letter,2', 'none,,5', '']);
});

test('10,000 invented referrers from two processes fill a bounded row, and real ones stay', async () => {
  const { websiteId, redirectId, ofWebsite, ofRedirect } = await newSite('flooded.example');
  const processes = await Promise.all([anotherProcess(), anotherProcess()]);
  const at = Date.now();
  const count = (i: number, referrer: string): void =>
    processes[i % 2]?.count(hitRequest({ websiteId, redirectId, referrer, utmSource: `random-${i}` }), at);
  for (let second = 0; second < 100; second++) {
    for (const i of [0, 1]) count(i, 'https://real.example/');
    for (let i = 0; i < 100; i++) count(i, `https://random-${second}-${i}.example/`);
    await Promise.all(processes.map((process) => process.write(new Date(at))));
  }
  const [stored] = (
    await detour.db.execute<{ site: number; redirect: number }>(sql`
      select (select count(*)::int from website_hits, jsonb_object_keys(referrers) where website_id = ${websiteId}) as site,
        (select count(*)::int from redirect_hits, jsonb_object_keys(referrers) where website_id = ${websiteId}) as redirect`)
  ).rows;
  expect(stored?.site).toBeLessThanOrEqual(400);
  expect(stored?.redirect).toBeLessThanOrEqual(40);
  for (const report of [await ofWebsite(), await ofRedirect()]) {
    expect([report.total_hits, report.referrer_hits, report.utm_source_hits]).toEqual([10_200, 10_200, 10_200]);
    expect(report.top_referrers[0].host).toBe('real.example');
  }
  expect((await ofWebsite('&limit=1')).top_referrers).toMatchObject([{ host: 'real.example', hits: 200 }]);
});

test('single hits of a redirect whose day is full of names count, known ones by name', async () => {
  const { websiteId, redirectId, ofRedirect } = await newSite('single.example');
  const process = await anotherProcess();
  for (let i = 0; i < 60; i++) {
    const referrer = i % 3 === 0 ? 'https://real.example/' : `https://random-${i}.example/`;
    process.count(hitRequest({ websiteId, redirectId, referrer }), Date.now());
    await process.write(new Date());
  }
  const report = await ofRedirect('limit=100');
  expect([report.total_hits, report.referrer_hits, report.unique_visitors]).toEqual([60, 60, 1]);
  expect(report.top_referrers[0]).toMatchObject({ host: 'real.example', hits: 20 });
});

test('hits that agents report count with their sources, and without them', async () => {
  const { websiteId, redirectId, ofRedirect } = await newSite('reported.example');
  const common = { at: new Date().toISOString(), redirect_id: String(redirectId), address: '192.0.2.1' };
  const { status, body } = await owner.keyCall('POST', `/api/v1/feeds/${websiteId}/production/hits`, {
    agent: 'edge-1',
    batch: 1,
    hits: [common, { ...common, referrer: 'https://news.example/a?b', utm_source: 'News%20Letter' }],
  });
  expect([status, body.accepted]).toEqual([200, 2]);
  expect(await ofRedirect()).toMatchObject({
    total_hits: 2,
    top_referrers: [{ host: 'news.example', hits: 1 }],
    top_utm_sources: [{ source: 'news letter', hits: 1 }],
  });
});
