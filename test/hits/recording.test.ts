/**
 * Requests through real sockets are counted in the database. Holds the rules of src/hits/reported/check-report.ts and
 * count-report.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNamedHits } from '../../src/hits/store/named-hits.ts';
import { type HitSummary, readHitSummary } from '../../src/hits/report/hit-summary.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import type { Environment } from '../../src/vocabulary/environment.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { ASSISTANT, BOT, BROWSER } from '../support/hits.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const RANGE = { from: '2000-01-01', to: '2999-12-31' };

let detour: TestDetour;
let owner: TestAccount;
let hosts = 0;

beforeAll(async () => {
  detour = await startTestDetour({ TRUST_PROXY: '1', COUNTRY_HEADER: 'cf-ipcountry' });
  owner = await detour.account();
});
afterAll(() => detour?.stop());

interface Visited {
  host: string;
  staging: string;
  websiteId: number;
  redirectId: number;
}

async function site(options: Record<string, unknown> = {}, fields: Record<string, unknown> = {}): Promise<Visited> {
  const host = `host${++hosts}.example`;
  const staging = `staging.${host}`;
  const websiteId = await createSite(owner, [host, { hostname: staging, environment: 'staging' }], options);
  const redirectId = await addRedirect(owner, websiteId, { old_path: '/old', new_path: '/new', ...fields });
  await settled(owner, websiteId);
  return { host, staging, websiteId, redirectId };
}

interface Visit {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  times?: number;
}

async function visit(
  host: string,
  { path = '/old', method = 'GET', headers = {}, times = 1 }: Visit = {},
): Promise<void> {
  for (let i = 0; i < times; i++)
    await detour.visit(host, path, { method, headers: { 'user-agent': BROWSER, ...headers } });
}

const summaryOf = (websiteId: number, redirectId?: number, environment: Environment = 'production') =>
  readHitSummary(detour.db, { websiteId, environment, ...(redirectId !== undefined && { redirectId }) }, RANGE);

/** Waits until the website has this number of requests in total, which takes about a second. */
async function counted(websiteId: number, total: number, environment: Environment = 'production'): Promise<HitSummary> {
  return until(async () => {
    const found = await summaryOf(websiteId, undefined, environment);
    const counts = [found.hits, found.botHits, found.assistantHits];
    const unmatched = [found.unmatched, found.unmatchedBots, found.unmatchedAssistants];
    return [...counts, ...unmatched].reduce((sum, count) => sum + count) >= total && found;
  });
}

describe('a request', () => {
  test('by a human with GET is a hit of the redirect and the website, with visitor, duration, country and time', async () => {
    const { host, websiteId, redirectId } = await site();
    const before = new Date();
    await visit(host, { times: 3, headers: { 'cf-ipcountry': 'de' } });
    await visit(host, { headers: { 'x-forwarded-for': '8.8.8.8' } });
    const expected = {
      hits: 4,
      botHits: 0,
      uniqueVisitors: 2,
      unmatched: 0,
      countries: [
        { country: 'DE', hits: 3 },
        { country: 'US', hits: 1 },
      ],
    };
    const website = await counted(websiteId, 4);
    expect(website).toMatchObject(expected);
    expect(website.days.map(({ hits }) => hits)).toEqual([4]);
    expect(website.micros).toBeGreaterThan(0);
    expect(website.micros).toBeLessThan(4_000_000);
    expect(await summaryOf(websiteId, redirectId)).toMatchObject(expected);
    const { rows } = await detour.db.$client.query<{ last_hit_at: Date; last_hit_minute: Date }>(
      'select last_hit_at, last_hit_minute from redirect_activity where redirect_id = $1',
      [redirectId],
    );
    const last = rows[0]?.last_hit_at.getTime() ?? 0;
    expect(last).toBeGreaterThanOrEqual(before.getTime());
    expect(rows[0]?.last_hit_minute.getTime()).toBe(last - (last % 60_000));
  });

  test.each([
    ['a known bot', BOT, { botHits: 2, assistantHits: 0 }],
    ['an assistant', ASSISTANT, { botHits: 0, assistantHits: 2 }],
  ])('by %s is counted separately, and is neither a visitor nor the last hit', async (_, userAgent, expected) => {
    const { host, websiteId, redirectId } = await site();
    await visit(host, { times: 2, headers: { 'user-agent': userAgent } });
    expect(await counted(websiteId, 2)).toMatchObject({
      hits: 0,
      ...expected,
      uniqueVisitors: 0,
      micros: 0,
      countries: [],
    });
    expect(await summaryOf(websiteId, redirectId)).toMatchObject({ hits: 0, ...expected, uniqueVisitors: 0 });
    const { rowCount } = await detour.db.$client.query('select from redirect_activity where redirect_id = $1', [
      redirectId,
    ]);
    expect(rowCount).toBe(0);
  });

  test('with HEAD or any other method than GET is not counted', async () => {
    const { host, websiteId } = await site();
    for (const method of ['HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE']) await visit(host, { method });
    await visit(host, { method: 'HEAD', path: '/nothing' });
    await visit(host);
    expect(await counted(websiteId, 1)).toMatchObject({
      hits: 1,
      botHits: 0,
      unmatched: 0,
      unmatchedBots: 0,
    });
  });

  test('that gets 410 or 451 is a hit of the redirect', async () => {
    const { host, websiteId, redirectId } = await site({}, { new_path: null, status_code: 410 });
    await visit(host);
    expect(await counted(websiteId, 1)).toMatchObject({ hits: 1, unmatched: 0 });
    expect(await summaryOf(websiteId, redirectId)).toMatchObject({ hits: 1 });
  });

  test('counts for the environment of its host', async () => {
    const { staging, websiteId } = await site({}, { target_environments: 'production,staging' });
    await visit(staging, { times: 2 });
    expect(await counted(websiteId, 2, 'staging')).toMatchObject({ hits: 2 });
    expect(await summaryOf(websiteId)).toMatchObject({ hits: 0, days: [] });
  });

  test('from an IPv4-mapped IPv6 address has the visitor and country of the IPv4 address', async () => {
    const { host, websiteId } = await site();
    await visit(host, { headers: { 'x-forwarded-for': '::ffff:8.8.8.8' } });
    await visit(host, { headers: { 'x-forwarded-for': '8.8.8.8' } });
    await visit(host, { headers: { 'x-forwarded-for': '2001:4860:4860::8888' } });
    expect(await counted(websiteId, 3)).toMatchObject({
      uniqueVisitors: 2,
      countries: [{ country: 'US', hits: 3 }],
    });
  });

  test('from an unknown country is in no list of countries', async () => {
    const { host, websiteId } = await site();
    for (const country of ['XX', 'T1', 'Germany', '']) await visit(host, { headers: { 'cf-ipcountry': country } });
    expect(await counted(websiteId, 4)).toMatchObject({ hits: 4, countries: [] });
  });

  test('still counts for the website after its redirect is deleted', async () => {
    const { host, websiteId, redirectId } = await site();
    await visit(host, { times: 2 });
    await counted(websiteId, 2);
    expect((await owner.call('DELETE', `/api/redirects/${redirectId}`)).status).toBe(200);
    expect(await summaryOf(websiteId)).toMatchObject({ hits: 2 });
  });
});

interface PathRow {
  path: string;
  hits: number;
  bot_hits: number;
  assistant_hits: number;
  noise: boolean;
  referrer_host: string | null;
}

async function pathsOf(websiteId: number): Promise<PathRow[]> {
  const { rows } = await detour.db.$client.query<PathRow>(
    'select path, hits, bot_hits, assistant_hits, noise, referrer_host from not_found where website_id = $1 order by path',
    [websiteId],
  );
  return rows;
}

describe('unmatched paths', () => {
  test('are counted by canonical path, each class of agents separately, with the host of the last referrer', async () => {
    const { host, websiteId } = await site();
    await visit(host, {
      path: '/a%7eb?secret=1',
      headers: { referer: 'https://me:pw@News.example:8443/private?q=1#x' },
    });
    await visit(host, { path: '/x/../a~b' });
    await visit(host, { path: '/a~b', headers: { 'user-agent': BOT } });
    await visit(host, { path: '/a~b', headers: { 'user-agent': ASSISTANT }, times: 2 });
    await visit(host, { path: '/.env' });
    expect(await counted(websiteId, 6)).toMatchObject({
      hits: 0,
      unmatched: 3,
      unmatchedBots: 1,
      unmatchedAssistants: 2,
      uniqueVisitors: 0,
    });
    expect(await pathsOf(websiteId)).toEqual([
      { path: '/.env', hits: 1, bot_hits: 0, assistant_hits: 0, noise: true, referrer_host: null },
      { path: '/a~b', hits: 2, bot_hits: 1, assistant_hits: 2, noise: false, referrer_host: 'news.example' },
    ]);
  });

  test('include those that get the fallback', async () => {
    const { host, websiteId } = await site({ fallback_url: 'https://fallback.example' });
    await visit(host, { path: '/gone' });
    expect(await counted(websiteId, 1)).toMatchObject({ hits: 0, unmatched: 1 });
    expect(await pathsOf(websiteId)).toMatchObject([{ path: '/gone', hits: 1 }]);
  });

  test('are truncated with a mark above 2,048 bytes', async () => {
    const { host, websiteId } = await site();
    await visit(host, { path: `/${'a'.repeat(2_047)}` });
    await visit(host, { path: `/${'a'.repeat(2_048)}` });
    await visit(host, { path: `/${'a'.repeat(8_000)}` });
    await counted(websiteId, 3);
    expect((await pathsOf(websiteId)).map(({ path, hits }) => [path.length, path.endsWith('…'), hits])).toEqual([
      [2_048, false, 1],
      [2_049, true, 2],
    ]);
  });
});

interface Report {
  agent?: string;
  series?: string | undefined;
  batch?: number;
  environment?: string;
  hits?: Record<string, unknown>[];
}

/** A hit as an agent reports it, of a browser at 192.0.2.1. */
const reportedHit = (fields: Record<string, unknown>) => ({
  at: new Date().toISOString(),
  redirect_id: null,
  address: '192.0.2.1',
  user_agent: BROWSER,
  ...fields,
});

function report(websiteId: number, { environment = 'production', ...body }: Report = {}) {
  const path = `/api/v1/feeds/${websiteId}/${environment}/hits`;
  return owner.keyCall('POST', path, { agent: 'edge-1', series: 'a', batch: 1, hits: [], ...body });
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

describe('hits that an agent reports', () => {
  let rejecting: number | undefined;

  test('count as those of the service do, which recognizes the same visitor', async () => {
    const { host, websiteId, redirectId } = await site();
    const visitor = { 'x-forwarded-for': '8.8.8.8', 'user-agent': BROWSER };
    await visit(host, { headers: visitor });
    await counted(websiteId, 1);
    const id = String(redirectId);
    const { status, body } = await report(websiteId, {
      hits: [
        reportedHit({ redirect_id: id, address: '8.8.8.8', micros: 31 }),
        reportedHit({ redirect_id: id, address: '::ffff:8.8.8.8', country: 'de', micros: 31.4 }),
        reportedHit({ redirect_id: id, user_agent: BOT }),
        reportedHit({ redirect_id: '0', address: '8.8.8.8' }),
        reportedHit({ path: '/a%7eb', referrer: 'https://news.example/?q=1' }),
        reportedHit({ path: '/a~b', user_agent: BOT }),
      ],
    });
    expect({ status, body }).toEqual({ status: 200, body: { accepted: 6, duplicate: false, last_batch: 1 } });
    const countries = (us: number) => [
      { country: 'US', hits: us },
      { country: 'DE', hits: 1 },
    ];
    const expected = { botHits: 1, uniqueVisitors: 1 };
    const ofWebsite = { hits: 4, countries: countries(3), unmatched: 1, unmatchedBots: 1 };
    expect(await summaryOf(websiteId)).toMatchObject({ ...expected, ...ofWebsite });
    expect(await summaryOf(websiteId, redirectId)).toMatchObject({ ...expected, hits: 3, countries: countries(2) });
    expect(await pathsOf(websiteId)).toEqual([
      { path: '/a~b', hits: 1, bot_hits: 1, assistant_hits: 0, noise: false, referrer_host: 'news.example' },
    ]);
  });

  test('count in their class; an assistant without one is a bot, as agents that do not know it report it', async () => {
    const { websiteId, redirectId } = await site();
    const id = String(redirectId);
    const sent = [
      { user_agent: ASSISTANT },
      { user_agent: ASSISTANT, agent_class: 'assistant' },
      { user_agent: 'Later-User/1.0', agent_class: 'assistant' },
      { user_agent: BROWSER, agent_class: 'bot' },
      { user_agent: BOT, agent_class: 'person' },
    ];
    const hits = [{ redirect_id: id }, { path: '/x' }].flatMap((of) =>
      sent.map((each) => reportedHit({ ...of, ...each })),
    );
    expect((await report(websiteId, { hits })).body).toMatchObject({ accepted: 10 });
    const expected = { hits: 1, botHits: 2, assistantHits: 2, uniqueVisitors: 1 };
    expect(await summaryOf(websiteId, redirectId)).toMatchObject(expected);
    const unmatched = { unmatched: 1, unmatchedBots: 2, unmatchedAssistants: 2 };
    expect(await summaryOf(websiteId)).toMatchObject({ ...expected, ...unmatched });
    expect(await pathsOf(websiteId)).toMatchObject([{ path: '/x', hits: 1, bot_hits: 2, assistant_hits: 2 }]);
    // By the name in the user agent; neither a class alone nor a person has one.
    const named = await readNamedHits(detour.db, { websiteId, environment: 'production' }, RANGE);
    expect(named).toMatchObject([{ name: 'ChatGPT-User', requests: 4, notFound: 2 }]);
  });

  test('count once per number of a batch, also if it arrives several times at once', async () => {
    const { websiteId } = await site();
    const hits = [reportedHit({ path: '/x' }), reportedHit({ path: '/y' })];
    const answers = await Promise.all([1, 2, 3, 4].map(() => report(websiteId, { batch: 7, hits })));
    expect(answers.map(({ body }) => body.accepted).toSorted()).toEqual([0, 0, 0, 2]);
    expect(answers.map(({ body }) => body.last_batch)).toEqual([7, 7, 7, 7]);
    expect((await report(websiteId, { batch: 6, hits })).body).toEqual({ accepted: 0, duplicate: true, last_batch: 7 });
    // Each of these has numbers of its own.
    for (const other of [{ agent: 'edge-2' }, { series: 'b' }, { series: undefined }, { environment: 'staging' }])
      expect((await report(websiteId, { batch: 7, hits, ...other })).body).toMatchObject({ accepted: 2 });
    expect((await report(websiteId, { batch: 8, hits })).body).toMatchObject({ accepted: 2, last_batch: 8 });
    expect(await summaryOf(websiteId)).toMatchObject({ unmatched: 10 });
    expect(await summaryOf(websiteId, undefined, 'staging')).toMatchObject({ unmatched: 2 });
  });

  test('count on the day of each request', async () => {
    const { websiteId, redirectId } = await site();
    const [today, before] = [new Date(), new Date(Date.now() - 40 * DAY_MS)];
    const hits = [today, before, before].map((at) =>
      reportedHit({ at: at.toISOString(), redirect_id: String(redirectId) }),
    );
    expect((await report(websiteId, { hits })).body).toMatchObject({ accepted: 3 });
    for (const id of [undefined, redirectId]) {
      const { days } = await summaryOf(websiteId, id);
      expect(days.map(({ day, hits: count }) => [day, count]).toSorted()).toEqual([
        [dayOf(before), 2],
        [dayOf(today), 1],
      ]);
    }
  });

  test('of a deleted redirect count, and those of a redirect that the website does not have for the website', async () => {
    const { websiteId, redirectId } = await site();
    const other = await site();
    expect((await owner.call('DELETE', `/api/redirects/${redirectId}`)).status).toBe(200);
    const ids = [redirectId, other.redirectId, 999_999_999];
    const hits = ids.map((id) => reportedHit({ redirect_id: String(id) }));
    expect((await report(websiteId, { hits })).body).toMatchObject({ accepted: 3 });
    expect(await summaryOf(websiteId)).toMatchObject({ hits: 3, unmatched: 0 });
    expect(await summaryOf(websiteId, redirectId)).toMatchObject({ hits: 1 });
    expect(await summaryOf(websiteId, other.redirectId)).toMatchObject({ hits: 0 });
  });

  test.each([
    ['a time in the future', 422, { at: new Date(Date.now() + 600_000).toISOString() }, 'at'],
    ['a time before the retained days', 422, { at: new Date(Date.now() - 500 * DAY_MS).toISOString() }, 'at'],
    ['an invalid time', 422, { at: 'yesterday' }, 'at'],
    ['an invalid id', 422, { redirect_id: '0x1' }, 'redirect_id'],
    ['an unknown class', 422, { agent_class: 'human' }, 'agent_class'],
    ['no path and no redirect', 400, { path: undefined }, 'path'],
    ['an unknown field', 400, { cookie: 'x' }, 'cookie'],
  ])('are rejected with %s, which the error names', async (_, status, fields, field) => {
    const websiteId = (rejecting ??= (await site()).websiteId);
    const answer = await report(websiteId, {
      hits: [reportedHit({ path: '/' }), reportedHit({ path: '/', ...fields })],
    });
    expect(answer).toMatchObject({ status, body: { issues: [{ path: `hits[1].${field}` }] } });
    expect(await summaryOf(websiteId)).toMatchObject({ unmatched: 0 });
  });

  test('have limits of number and size', async () => {
    const { websiteId } = await site();
    const many = await report(websiteId, {
      hits: Array.from({ length: 5_001 }, () => reportedHit({ path: '/', user_agent: undefined })),
    });
    expect(many).toMatchObject({ status: 422, body: { code: 'TOO_MANY_ITEMS' } });
    const long = { path: `/${'a'.repeat(8_000)}` };
    const large = await report(websiteId, { hits: Array.from({ length: 140 }, () => reportedHit(long)) });
    expect(large).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
  });

  test('need a key that may read the website, and no more', async () => {
    const { websiteId } = await site();
    const { body: created } = await owner.call('POST', '/api/keys', { name: 'agents', scope: 'read' });
    const path = `/api/v1/feeds/${websiteId}/production/hits`;
    const hits = [reportedHit({ path: '/' })];
    const send = (key: string, scheme = 'Bearer') =>
      fetch(`${detour.address}${path}`, {
        method: 'POST',
        headers: { authorization: `${scheme} ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ agent: 'a', batch: 1, hits }),
      });
    expect((await send(created.api_key.key)).status).toBe(200);
    const stranger = await detour.account();
    expect((await send(stranger.key)).status).toBe(404);
    expect((await send('dtr_unknown')).status).toBe(401);
  });
});
