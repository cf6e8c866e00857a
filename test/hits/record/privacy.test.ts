/** The database and the log contain no personal data of visitors. */
import { text } from 'node:stream/consumers';
import { to as copyTo } from 'pg-copy-streams';
import { expect, test } from 'vitest';
import { withClient } from '../../../src/db/connection/client.ts';
import { startTestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

const ADDRESSES = ['203.0.113.77', '2001:db8:77::abcd', '::ffff:198.51.100.77'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/77.7.7.7 Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/7.7; +http://www.google.com/bot.html)',
];
const REFERRER = 'https://someone:secret77@referrer.example/private77?token=77#fragment77';

/** Personal data in every spelling that a dump could have. */
const PRIVATE = [
  ...ADDRESSES,
  '198.51.100.77',
  'cb00714d', // 203.0.113.77 in hex
  'c633644d', // 198.51.100.77 in hex
  '20010db80077',
  ...AGENTS,
  'Chrome/77',
  // The name alone is one of a list.
  'Googlebot/',
  Buffer.from('Chrome/77').toString('hex'),
  'someone',
  'secret77',
  'private77',
  'token=77',
  'fragment77',
  'query77',
];

test('no table and no log line contains an address, a user agent, a query or a full referrer', async () => {
  const lines: string[] = [];
  const detour = await startTestDetour({ TRUST_PROXY: '1' }, { onLog: (line) => void lines.push(line) });
  try {
    const owner = await detour.account();
    const websiteId = await createSite(owner, ['private.example']);
    await addRedirect(owner, websiteId, { old_path: '/old', new_path: '/new' });
    await settled(owner, websiteId);
    for (const address of ADDRESSES)
      for (const agent of AGENTS)
        for (const path of ['/old?query77=1&utm_source=News%2077&utm_campaign=query77', '/nothing?query77=1'])
          await detour.visit('private.example', path, {
            headers: { 'x-forwarded-for': address, 'user-agent': agent, referer: REFERRER },
          });
    const { $client } = detour.db;
    await until(async () => {
      const { rows } = await $client.query<{ all: number }>(
        'select sum(hits + bot_hits + unmatched + unmatched_bots)::int as all from website_hits',
      );
      return rows[0]?.all === 12;
    });
    // A failing write, so that there is a log line.
    await $client.query('alter table website_hits rename to website_hits_away');
    await detour.visit('private.example', '/old', {
      headers: { 'x-forwarded-for': ADDRESSES[0] ?? '', 'user-agent': AGENTS[0] ?? '', referer: REFERRER },
    });
    await until(async () => lines.some((line) => line.includes('writing a batch of hits failed')));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(10_000);
    await $client.query('alter table website_hits_away rename to website_hits');

    const dumps = await everything(detour.db);
    expect(dumps.size).toBeGreaterThan(25);
    // The dump is not empty: it has the referrer host, the path, and the sketch of three visitors.
    expect(dumps.get('not_found')).toMatch(/\/nothing\t3\t3\tf\treferrer\.example/);
    expect(/\\\\x01([0-9a-f]{48})\t/.exec(dumps.get('website_hits') ?? '')?.[1]).toBeDefined();
    // Sources of hits: only the host and utm_source.
    expect(dumps.get('redirect_hits')).toMatch(/\t{"referrer\.example": 3}\t{"news 77": 3}\t0$/m);
    expect(dumps.get('website_hits')).toMatch(/\t{"referrer\.example": 3}\t{"news 77": 3}\t0\t0$/m);
    expect(dumps.get('named_hits')).toMatch(/\tGooglebot\t3\t3\n$/);
    for (const [table, dump] of [...dumps, ['the log', lines.join('\n')] as const])
      for (const secret of PRIVATE)
        expect([table, dump.toLowerCase().includes(secret.toLowerCase())]).toEqual([table, false]);
  } finally {
    await detour.stop();
  }
});

/** Dumps every table by name, with its partitions. */
function everything(db: Parameters<typeof withClient>[0]): Promise<Map<string, string>> {
  return withClient(db, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace",
    );
    const dumps = new Map<string, string>();
    for (const { name } of rows)
      dumps.set(name, await text(client.query(copyTo(`copy (select * from "${name}") to stdout`))));
    return dumps;
  });
}
