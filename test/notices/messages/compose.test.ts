/** The words and the link of each kind. Holds the rules of src/notices/messages/compose.ts, compose-digest.ts and content.ts. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { composeTest } from '../../../src/notices/messages/compose.ts';
import type { Message } from '../../../src/notices/messages/message.ts';
import { plain } from '../../../src/notices/messages/write-text.ts';
import { NOTICE_KINDS } from '../../../src/vocabulary/notices.ts';
import { URL_ANSWERS } from '../../../src/vocabulary/urls.ts';
import { DASHBOARD_ROUTES } from '../../support/dashboard-routes.ts';
import { FULL_DIGEST, messageOf, PUBLIC_URL } from '../../support/notices/signals.ts';

const shownOf = ({ title, lines }: Message): string[] => [title, ...lines].map((line) => plain(line));
const queryOf = ({ link }: Message): URLSearchParams => new URL(link.url).searchParams;

test.each([
  [
    messageOf('deployment.failed'),
    ['Deployment of Shop to production failed', 'Reason: LOOP: /a', 'Nothing has changed for visitors.'],
  ],
  [
    messageOf('check.broken'),
    ['A target of Shop is broken', '/a redirects to /b in production.', 'Problem: 404 Not Found'],
  ],
  [
    messageOf('urls.lost'),
    [
      'Shop has 1,234 lost URLs',
      'In production, visitors of 1,234 former pages find neither a page nor a redirect. Before: 1,200.',
      'For example: /a, /b, /c',
    ],
  ],
  [
    messageOf('urls.lost', { data: { lost: 1, before: 0, examples: [] } }),
    ['Shop has 1 lost URL', 'In production, visitors of 1 former page find neither a page nor a redirect. Before: 0.'],
  ],
  [
    messageOf('not_found.burst'),
    [
      'Many visitors do not find /a',
      '1,234 requests by people within 60 minutes matched no redirect of Shop in production.',
      'Usual is 12 an hour.',
    ],
  ],
  [
    messageOf('not_found.burst', { data: { path: null, median: null } }),
    [
      'Many visitors of Shop find no page',
      '1,234 requests by people within 60 minutes matched no redirect of Shop in production.',
      'How many are usual is not known yet.',
    ],
  ],
  [
    messageOf('redirect.ends_soon'),
    [
      'A redirect of Shop ends soon',
      '/a redirects to /b until 2026-12-01 08:00 UTC.',
      'After that, the rule does not apply any more.',
    ],
  ],
  [
    messageOf('redirect.ends_soon', { data: { target: null } }),
    [
      'A redirect of Shop ends soon',
      '/a is answered as gone until 2026-12-01 08:00 UTC.',
      'After that, the rule does not apply any more.',
    ],
  ],
  [
    messageOf('loops.live'),
    [
      'Redirects of Shop loop',
      'In production, 2 redirects lead back to themselves, such as /a.',
      'Visitors see an error of their browser.',
    ],
  ],
  [
    messageOf('expectations.failing'),
    ['Expectations of Shop fail', 'In production, at least 1,000 expectations failed, first /a.'],
  ],
  [
    messageOf('key.ends_soon'),
    ['API key ci expires soon', 'It expires at 2026-12-01 08:00 UTC.', 'After that, requests with it are rejected.'],
  ],
  [
    messageOf('agent.lagging'),
    ['Agent web-1 lags behind', 'It has served an older version of Shop in production for 7 minutes.'],
  ],
  [
    messageOf('agent.lagging', { data: { behindSeconds: null } }),
    [
      'Agent web-1 does not report',
      'It was last seen at 2026-12-01 08:00 UTC. It may serve an old version of Shop in production.',
    ],
  ],
  [
    messageOf('webhook.disabled'),
    [
      'Webhook CI is disabled',
      'Its receiver responded with 410 Gone.',
      'Events are collected, and sent when you enable it again.',
    ],
  ],
  [
    messageOf('webhook.disabled', { data: { reason: 'failing' } }),
    [
      'Webhook CI is disabled',
      'Its receiver has failed for 8 days without a success.',
      'Events are collected, and sent when you enable it again.',
    ],
  ],
  [
    messageOf('quota.near'),
    [
      'Your account is near its limit of redirects',
      '9,120 of 10,000 redirects are in use (91 %).',
      'Above the limit, new ones are rejected. What exists stays.',
    ],
  ],
  [
    messageOf('digest.weekly'),
    [
      'Your week in redirects, 2026-11-23 to 2026-11-29',
      '12,345 hits by people on 1,012 websites, 2,345 more than in the week before.',
    ],
  ],
  [
    messageOf('digest.weekly', { data: { hits: 1, hitsBefore: 1, websiteCount: 1 } }),
    [
      'Your week in redirects, 2026-11-23 to 2026-11-29',
      '1 hit by people on 1 website, as many as in the week before.',
    ],
  ],
] as const)('%#: the words of a message', (message, words) => expect(shownOf(message)).toEqual(words));

test('the message of the test button', () => {
  const message = composeTest({ publicUrl: PUBLIC_URL, notice: 'Team' });
  expect(shownOf(message)).toEqual(['This is a test', 'The notice Team works: its messages arrive here.']);
  expect(message).toMatchObject({ link: { url: `${PUBLIC_URL}/websites` }, notice: 'Team', more: 0 });
});

test('the digest has sections with rows, and counts what it does not list', () => {
  const sections = messageOf('digest.weekly').sections ?? [];
  const rows = sections.map(({ heading, rows: all }) => [
    heading,
    all.length,
    ...[all[1], all.at(-1)].flatMap((row) => (row ? [plain(row.label), row.value] : [])),
  ]);
  expect(rows).toEqual([
    ['Hits by website', 11, 'Shop 1', '999 (+150%)', 'and 1,002 more', ''],
    ['Redirects with the most hits', 5, '/top-1 (Shop)', '4,999', '/top-4 (Shop)', '4,996'],
    ['New unmatched paths with the most hits', 5, '/new-1 (Shop)', '89', '/new-4 (Shop)', '86'],
    ['Redirects that end within 7 days', 6, '/ends-1 (Shop)', '2026-12-01 08:00 UTC', 'and 1,209 more', ''],
    ['Who changed the most redirects', 5, 'jo-1 (4 changes)', '1,999 redirects', 'jo-4 (1 change)', '1,996 redirects'],
  ]);
});

test('an empty digest has no sections', () => {
  const data = { ...FULL_DIGEST, websites: [], topRedirects: [], newUnmatched: [], endsSoon: [], changes: [] };
  const none = { hits: 0, hitsBefore: 0, websiteCount: 0, endsSoonCount: 0 };
  expect(messageOf('digest.weekly', { data: { ...data, ...none } }).sections).toEqual([]);
});

test.each(NOTICE_KINDS)('the link of %s is a screen of the dashboard, with the environment', (kind) => {
  const message = messageOf(kind, { place: { environment: 'staging' } });
  const { origin, pathname } = new URL(message.link.url);
  const screens = DASHBOARD_ROUTES.filter(({ path }) =>
    new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  expect([origin, screens.length]).toEqual([PUBLIC_URL, 1]);
  const isOfAll = ['/account', '/account/keys', '/webhooks/wh_1', '/websites/7/redirects'].includes(pathname);
  expect(queryOf(message).get('environment')).toBe(isOfAll ? null : 'staging');
});

/** The source of the view of a screen, which parses its query. */
const viewSource = (screen: string): string => readFileSync(`dashboard/src/screens/${screen}/view.ts`, 'utf8');

test.each([
  ['not-found', messageOf('not_found.burst', { place: { path: '/a?b=1&c=%2F#ä 💩' } }), { q: '/a?b=1&c=%2F#ä 💩' }],
  [
    'not-found',
    messageOf('not_found.burst', { data: { path: null }, place: { path: null } }),
    { sort: '-last_seen_at' },
  ],
  ['urls', messageOf('urls.lost'), { answered: 'lost' }],
  ['analytics', messageOf('digest.weekly'), { period: '7d' }],
])('the screen %s reads the query of its link', (screen, message, expected) => {
  const { environment, ...query } = Object.fromEntries(queryOf(message));
  expect([environment, query]).toEqual(['production', expected]);
  const source = viewSource(screen);
  expect(source).toContain('environmentIn(query)');
  for (const [name, value] of Object.entries(query)) {
    expect(source).toMatch(new RegExp(`(get|valueOf)\\('${name}'\\)`));
    if (name !== 'q') expect(`${source} ${URL_ANSWERS.map((each) => `'${each}'`).join()}`).toContain(`'${value}'`);
  }
});

test('the list of redirects is searched for the path', () => {
  const query = queryOf(
    messageOf('redirect.ends_soon', { place: { path: '/a?b=1&c=%2F#ä 💩', environment: 'staging' } }),
  );
  expect(Object.fromEntries(query)).toEqual({ q: '/a?b=1&c=%2F#ä 💩' });
  expect(viewSource('redirects')).toContain("one('q'");
});

test('a long path is searched by its beginning', () => {
  const message = messageOf('not_found.burst', { place: { path: '💩'.repeat(2_000) } });
  expect(queryOf(message).get('q')).toBe('💩'.repeat(100));
});

test('without a website, the link is the list of websites', () => {
  for (const kind of ['digest.weekly', 'deployment.failed'] as const) {
    expect(messageOf(kind, { place: { websiteId: null } }).link.url).toBe(`${PUBLIC_URL}/websites`);
  }
});
