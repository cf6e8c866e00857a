/** Counting access logs against a running service. Holds src/urls/logs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { sql } from '../../src/db/drizzle.ts';
import { purgeLogDays } from '../../src/urls/logs/log-days.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const HOUR_MS = 3_600_000;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const now = Date.now();
/** Timestamps of answers have whole seconds. */
const WHOLE_SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';

interface Written {
  at?: number;
  address?: string;
  method?: string;
  agent?: string;
}

/** A line of nginx. */
function line(
  uri: string,
  status: number,
  { at = now, address = '203.0.113.9', method = 'GET', agent = AGENT }: Written = {},
) {
  const [year = '', month = '', day = '', time = ''] = new Date(at).toISOString().split(/[-T.]/);
  const name = MONTHS.slice((Number(month) - 1) * 3, Number(month) * 3);
  return `${address} - - [${day}/${name}/${year}:${time} +0000] "${method} ${uri} HTTP/1.1" ${status} 0 "-" "${agent}"\n`;
}

let hosts = 0;
const newHost = (): string => `logs-${++hosts}.example`;

/** A website with its host, whose rules are live. */
async function siteWith(...rules: (Record<string, unknown> & { old_path: string })[]) {
  const host = newHost();
  const site = await createSite(owner, [host]);
  for (const rule of rules) await addRedirect(owner, site, rule);
  await settled(owner, site);
  return { site, host };
}

interface Answer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
  body: any;
}

async function send(site: number, body: string | Buffer, query = '', key = owner.key): Promise<Answer> {
  const response = await fetch(`${detour.address}/api/v1/websites/${site}/logs${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, body: await response.json() };
}

const sum = async (table: string, column: string, site: number): Promise<number> => {
  const { rows } = await detour.db.execute<{ sum: number }>(
    sql.raw(`select coalesce(sum(${column}), 0)::float8 as sum from ${table} where website_id = ${site}`),
  );
  return rows[0]?.sum ?? 0;
};
const hitsOf = async (site: number) => ({
  rules: await sum('redirect_hits', 'hits', site),
  bots: await sum('redirect_hits', 'bot_hits', site),
  unmatched: await sum('not_found', 'hits', site),
  urls: await sum('url_hits', 'hits', site),
});

const OLD = { old_path: '/old', new_path: '/new' };

describe('what counts', () => {
  test('rules by redirects and gone, the unmatched list by 404 and 410, URLs of the list by all others', async () => {
    const gone = { old_path: '/gone', new_path: null, status_code: 410 };
    const { site, host } = await siteWith(gone, OLD);
    await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, ['/new', '/other']);
    const log = [
      line('/old?utm_source=mail', 301),
      line('/old', 200),
      line('/gone', 410),
      line('/missing', 404),
      line('/missing', 410),
      line('/missing', 301),
      line('/new', 200),
      line('/new', 304, { agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }),
      line('/old', 301, { method: 'HEAD' }),
      line('/old', 301, { agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }),
      line('/old', 301, { at: now + 6 * 60_000 }),
      line('/old', 301, { at: now - 402 * 24 * HOUR_MS }),
      `https://other.example/ ${line('/old', 301)}`.replace('https://other.example/', 'other.example:443'),
      'nonsense of ada@example.com at 203.0.113.9\n',
      '\n',
      line('/old', 301).slice(0, -1),
    ];
    const { status, body } = await send(site, log.join(''), `?host=${host}`);
    expect([status, body.logs]).toEqual([
      200,
      {
        lines: 14,
        counted: 7,
        skipped: 0,
        not_ours: 1,
        invalid: 3,
        unused: 3,
        from: expect.stringMatching(WHOLE_SECOND),
        until: expect.stringMatching(WHOLE_SECOND),
      },
    ]);
    expect(await hitsOf(site)).toEqual({ rules: 2, bots: 1, unmatched: 2, urls: 1 });
    expect(await sum('named_hits', 'hits', site)).toBe(1);
    const { body: listed } = await owner.keyCall('GET', `/api/v1/websites/${site}/urls?limit=10&q=/new`);
    expect(listed.urls[0]).toMatchObject({ hits: 1, bot_hits: 1, sources: expect.arrayContaining(['log']) });
    expect(JSON.stringify(body.examples)).not.toMatch(/203\.0\.113|ada@|Mozilla|utm_source/);
    expect(body.examples.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'invalid',
      'invalid',
      'invalid',
      'not_ours',
      'unused',
      'unused',
      'unused',
    ]);
  });
});

test('a rule counts if its window has the time of the line, in the zone of the call', async () => {
  const rule = { ...OLD, active_from: new Date(now - 3 * HOUR_MS).toISOString() };
  const { site, host } = await siteWith(rule);
  const before = line('/old', 301, { at: now - 4 * HOUR_MS });
  const after = line('/old', 301, { at: now - 2 * HOUR_MS });
  const { body } = await send(site, before + after, `?host=${host}`);
  expect(body.logs).toMatchObject({ counted: 1, unused: 1 });
  // Five hours later in this zone, so that the rule does not exist yet.
  const local = new Date(now - 2 * HOUR_MS).toISOString().slice(0, 19);
  const json = (time: string) => `${JSON.stringify({ time, host, method: 'GET', uri: '/old', status: 301 })}\n`;
  const zoned = await send(site, json(local), '?stream=json&time_zone=Asia/Karachi');
  expect([zoned.body.format, zoned.body.logs.unused]).toEqual(['json', 1]);
  expect((await send(site, json(local), '?stream=other')).body.logs.counted).toBe(1);
});

test('lines without a host need one, unless the environment has one host', async () => {
  const { site } = await siteWith(OLD);
  expect((await send(site, line('/old', 301))).body.logs.counted).toBe(1);
  const several = await createSite(owner, [newHost(), newHost()]);
  const { status, body } = await send(several, line('/old', 301));
  expect([status, body.code, body.details]).toEqual([400, 'MISSING_PARAMETER', expect.stringContaining('host=NAME')]);
  expect((await send(several, line('/old', 301), '?host=elsewhere.example')).body.details).toMatch(/^host: /);
});

describe('once', () => {
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => line('/old', 301, { address: `203.0.113.${(from + i) % 250}` })).join(
      '',
    );

  test('the same body, a grown one and a packed one count their new lines', async () => {
    const { site, host } = await siteWith(OLD);
    const query = `?host=${host}`;
    // 1,000 lines have more than 64 KiB.
    const steps: [body: string | Buffer, skipped: number, counted: number][] = [
      [lines(0, 1_000), 0, 1_000],
      [lines(0, 1_000), 1_000, 0],
      [lines(0, 1_500), 1_000, 500],
      [gzipSync(lines(0, 1_600)), 1_500, 100],
      [Buffer.concat([gzipSync(lines(0, 800)), gzipSync(lines(800, 1_600))]), 1_600, 0],
      [lines(0, 1_200), 1_000, 200],
      [lines(1, 1_000), 0, 999],
      [lines(0, 10), 0, 10],
      [lines(0, 10), 10, 0],
      [lines(0, 11), 0, 11],
    ];
    for (const [body, skipped, counted] of steps)
      expect((await send(site, body, query)).body.logs).toMatchObject({ lines: skipped + counted, skipped, counted });
    expect((await send(site, lines(0, 1_000), `${query}&stream=web-2`)).body.logs.counted).toBe(1_000);
    expect((await hitsOf(site)).rules).toBe(1_000 + 500 + 100 + 200 + 999 + 10 + 11 + 1_000);
  });

  test('parts of a file that is followed count once, by their position', async () => {
    const { site, host } = await siteWith(OLD);
    const part = lines(0, 3);
    const at = (offset: number): string => `?host=${host}&file=1-abc&offset=${offset}`;
    const first = await send(site, part + line('/old', 301).slice(0, -1), at(0));
    expect([first.body.logs.counted, first.body.offset]).toEqual([3, part.length]);
    const again = await send(site, part, at(0));
    expect([again.body.logs, again.body.offset]).toMatchObject([{ skipped: 3, counted: 0 }, part.length]);
    const grown = await send(site, part + lines(3, 5), at(0));
    expect(grown.body.logs).toMatchObject({ skipped: 3, counted: 2 });
    const next = await send(site, lines(5, 6), at(grown.body.offset));
    expect(next.body.logs).toMatchObject({ skipped: 0, counted: 1 });
    expect((await hitsOf(site)).rules).toBe(6);
    const alone = await send(site, part, `?host=${host}&offset=3`);
    expect([alone.status, alone.body.code]).toEqual([400, 'MISSING_PARAMETER']);
  });

  test('a body that fails counts nothing, and can be sent again', async () => {
    const { site, host } = await siteWith(OLD);
    const packed = gzipSync(lines(0, 3_000));
    const { status, body } = await send(site, packed.subarray(0, packed.length - 20), `?host=${host}`);
    expect([status, body.details]).toEqual([422, expect.stringMatching(/^body: the gzip data/)]);
    expect((await hitsOf(site)).rules).toBe(0);
    expect((await send(site, packed, `?host=${host}`)).body.logs.counted).toBe(3_000);
    const unknown = await send(site, 'a log\nof another program\n', `?host=${host}`);
    expect([unknown.status, unknown.body.details]).toEqual([422, expect.stringMatching(/^format: /)]);
  });
});

describe('the list of received logs', () => {
  const received = async (site: number, { key } = owner) => {
    const response = await fetch(`${detour.address}/api/v1/websites/${site}/logs`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };

  test('has the new lines of each stream and day, the latest first', async () => {
    const { site, host } = await siteWith(OLD);
    expect(await received(site)).toEqual({ status: 200, body: { logs: [] } });
    const at = Math.floor(now / 1_000) * 1_000 - HOUR_MS;
    const log = line('/old', 301, { at }) + line('/unlisted', 200) + 'nonsense\n';
    const more = log + line('/old', 301, { at: at - HOUR_MS });
    for (const body of [log, log]) await send(site, body, `?host=${host}`);
    await send(site, more, `?host=${host}&stream=web-2`);
    // A grown body under 64 KiB counts again.
    await send(site, more, `?host=${host}`);
    const [main, other] = (await received(site)).body.logs;
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    const lastLineAt = new Date(at).toISOString().replace('.000', '');
    const common = { day, not_ours: 0, last_line_at: lastLineAt, received_at: expect.stringMatching(WHOLE_SECOND) };
    expect(main).toEqual({ stream: 'main', lines: 7, counted: 3, invalid: 2, unused: 2, ...common });
    expect(other).toEqual({ stream: 'web-2', lines: 4, counted: 2, invalid: 1, unused: 1, ...common });
  });

  test('is of the own account', async () => {
    const { site } = await siteWith(OLD);
    const other = await detour.account();
    expect((await received(site, other)).body.code).toBe('WEBSITE_NOT_FOUND');
  });

  test('keeps the latest 1,000 of a website, whatever streams a client names', async () => {
    const { site, host } = await siteWith(OLD);
    await detour.db.execute(sql`
      insert into log_days (website_id, stream, day, lines, counted, not_ours, invalid, unused, received_at)
      select ${site}, 'web-' || n, current_date, 1, 1, 0, 0, 0, now() - n * interval '1 minute' from generate_series(1, 1000) n`);
    await send(site, line('/old', 301), `?host=${host}`);
    const { rows } = await detour.db.execute(sql`
      select count(*)::int as all, count(*) filter (where stream = 'main')::int as new,
        count(*) filter (where stream = 'web-1000')::int as oldest from log_days where website_id = ${site}`);
    expect(rows).toEqual([{ all: 1_000, new: 1, oldest: 0 }]);
  });

  test('forgets days after 90', async () => {
    const { site, host } = await siteWith(OLD);
    await send(site, line('/old', 301), `?host=${host}`);
    await purgeLogDays(detour.db, new Date(now + 89 * 24 * HOUR_MS));
    expect((await received(site)).body.logs).toHaveLength(1);
    await purgeLogDays(detour.db, new Date(now + 92 * 24 * HOUR_MS));
    expect((await received(site)).body.logs).toEqual([]);
  });
});

test('a second log of an account waits 10 s for the first, then is refused; other accounts go on', async () => {
  const { site, host } = await siteWith(OLD);
  const path = `/api/v1/websites/${site}/logs?host=${host}`;
  const headers = { authorization: `Bearer ${owner.key}` };
  const first = request(detour.address + path, { method: 'POST', headers });
  const answered = once(first, 'response') as Promise<[IncomingMessage]>;
  first.write(line('/old', 301));
  const other = await detour.account();
  const otherSite = await createSite(other, [newHost()]);
  expect((await send(otherSite, line('/missing', 404), '', other.key)).body.logs).toMatchObject({ counted: 1 });
  const began = performance.now();
  const second = await send(site, line('/old', 301), `?host=${host}&stream=web-2`);
  expect([second.status, second.body.code]).toEqual([503, 'BUSY']);
  expect(performance.now() - began).toBeGreaterThan(9_900);
  const third = send(site, line('/old', 301), `?host=${host}&stream=web-3`);
  first.end(line('/old', 301));
  const [response] = await answered;
  expect(await json(response)).toMatchObject({ logs: { counted: 2 } });
  expect((await third).body.logs.counted).toBe(1);
  expect((await hitsOf(site)).rules).toBe(3);
}, 60_000);

test('10 MB count exactly, by day, rule, path and visitor', async () => {
  const rules = Array.from({ length: 20 }, (_, i) => ({ old_path: `/old-${i}`, new_path: '/new' }));
  const { site, host } = await siteWith(...rules);
  const parts: string[] = [];
  const expected = { rules: 0, unmatched: 0, unused: 0 };
  for (let i = 0; i < 60_000; i++) {
    const [path, status] =
      i % 3 === 0 ? [`/old-${i % 20}`, 301] : i % 3 === 1 ? [`/missing-${i % 50}`, 404] : ['/x', 200];
    expected[i % 3 === 0 ? 'rules' : i % 3 === 1 ? 'unmatched' : 'unused']++;
    parts.push(line(path, status, { at: now - (i % 3) * 24 * HOUR_MS, address: `10.0.${i % 7}.${i % 40}` }));
  }
  const log = parts.join('');
  expect(log.length).toBeGreaterThan(8_000_000);
  const { body } = await send(site, log, `?host=${host}`);
  expect(body.logs).toMatchObject({
    lines: 60_000,
    counted: expected.rules + expected.unmatched,
    unused: expected.unused,
  });
  expect(await hitsOf(site)).toMatchObject({ rules: expected.rules, unmatched: expected.unmatched });
  expect(await sum('website_hits', 'hits', site)).toBe(expected.rules);
});
