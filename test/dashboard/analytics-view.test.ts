import { expect, test } from 'vitest';
import type { Deployment, Hits } from '../../dashboard/src/api/client/wire.ts';
import {
  chartPoints,
  pointName,
  pointText,
  pointTick,
  releasesOf,
} from '../../dashboard/src/screens/analytics/chart-points.ts';
import {
  comparedText,
  daysQuery,
  isToday,
  notStored,
  tokensOf,
  viewOf,
} from '../../dashboard/src/screens/analytics/view.ts';

const view = (query: string) => viewOf(new URLSearchParams(query), 7);

test('a day of the chart is a period of its own, and today is recognized however it was chosen', () => {
  const today = new Date().toISOString().slice(0, 10);
  const days = (day: string) => view(new URLSearchParams(daysQuery(day) as Record<string, string>).toString());
  expect(days('2026-03-01').query).toMatchObject({ start_date: '2026-03-01', end_date: '2026-03-01' });
  expect([view('period=1d'), view(`start_date=${today}`), days(today)].map(isToday)).toEqual([true, true, true]);
  expect([view('period=7d'), days('2026-03-01')].map(isToday)).toEqual([false, false]);
});

test('the address has the query of the API, with 30 days unless it has dates', () => {
  expect(view('period=90d&environment=staging&country=DE&tab=x')).toEqual({
    websiteId: 7,
    redirectId: undefined,
    group: undefined,
    part: 'country',
    query: { environment: 'staging', period: '90d', country: 'DE' },
  });
  expect(view('period=week').query).toEqual({ environment: 'production', period: '30d' });
  expect(view('period=7d&end_date=2026-03-01&compare=year').query).toEqual({
    environment: 'production',
    end_date: '2026-03-01',
    compare: 'year',
  });
});

test('each filter is a token with its text', () => {
  const query = new URLSearchParams('agents=bots&redirect=12&country=DE&group=a%20b&period=7d');
  expect(tokensOf(query, '/old').map(({ name, label }) => `${name}: ${label}`)).toEqual([
    'redirect: Redirect: /old',
    'group: Group: a b',
    'agents: Visitors: bots',
    'country: Country: Germany',
  ]);
  expect(tokensOf(query, undefined)[0]?.label).toBe('Redirect: 12');
});

test.each([
  ['period=7d', []],
  ['redirect=1', ['unmatched paths']],
  ['group=a', ['visitors', 'unmatched paths']],
  ['agents=bots', ['visitors', 'response time', 'bots', 'assistants', 'countries', 'sources']],
  ['country=DE', ['visitors', 'response time', 'bots', 'assistants', 'countries', 'sources', 'unmatched paths']],
])('what %s leaves out is named', (query, left) => {
  expect(notStored(view(query))).toBe(
    left.length === 0 ? '' : `Not stored for these filters, and not shown: ${left.join(', ')}.`,
  );
});

const daysOf = (...hits: number[]) => hits.map((count, ago) => ({ date: `2026-03-0${5 - ago}`, hits: count }));
const hits = (days: Hits['daily_hits'], before?: Hits['daily_hits']) =>
  ({
    daily_hits: days,
    previous_period: before && { daily_hits: before, start_date: '2025-03-01', end_date: '2025-03-02' },
  }) as Hits;

test('both periods begin at their first day, and a release is on its day', () => {
  const deployed = (version: number, at: string | null, status = 'completed') =>
    ({ version, deployed_at: at, status }) as Deployment;
  const releases = releasesOf(
    [
      deployed(6, '2026-03-06T00:00:00Z'),
      deployed(5, '2026-03-05T23:59:59Z'),
      deployed(4, '2026-03-05T01:00:00Z'),
      deployed(3, null, 'failed'),
    ],
    '2026-03-03',
    '2026-03-05',
  );
  const days = chartPoints(hits(daysOf(3, 2, 1), daysOf(20, 10)), releases);
  expect(days.map(({ start, hits: count, before, releases: on }) => [start, count, before, on])).toEqual([
    ['2026-03-03', 1, 10, []],
    ['2026-03-04', 2, 20, []],
    ['2026-03-05', 3, undefined, [5, 4]],
  ]);
  expect(pointText(days[2])).toMatch(/: 3 hits, released: version 5, version 4$/);
  const crowded = { start: '2026-03-05', hits: 1, before: 2, releases: [9, 8, 7, 6, 5] };
  expect(pointText(crowded)).toMatch(/: 1 hit \(compared: 2\), released: version 9, version 8, version 7 and 2 more$/);
});

test('hours are points of their day, to its end, and a release is in its hour', () => {
  const hours = [
    { hour: '2026-03-05T01:00:00Z', hits: 4, previous_hits: 2 },
    { hour: '2026-03-05T00:00:00Z', hits: 7, previous_hits: null },
  ];
  const releases = [{ version: 3, at: '2026-03-05T01:59:59Z' }];
  const points = chartPoints({ ...hits(daysOf(11)), hourly_hits: hours }, releases);
  expect(points).toHaveLength(24);
  expect(points.slice(0, 3)).toEqual([
    { start: '2026-03-05T00', hits: 7, before: undefined, releases: [] },
    { start: '2026-03-05T01', hits: 4, before: 2, releases: [3] },
    { start: '2026-03-05T02', hits: 0, before: undefined, releases: [] },
  ]);
  expect(points.at(-1)?.start).toBe('2026-03-05T23');
  const [, one] = points;
  expect(one && pointName(one)).toMatch(/2026.*, 01:00 UTC$/);
  expect(one && pointTick(one)).toBe('01:00');
});

test('the compared days are named by their length, or by their dates', () => {
  expect(comparedText(hits(daysOf(1, 2)), view(''))).toBe('the 2 days before');
  expect(comparedText(hits(daysOf(1)), view('period=1d'))).toBe('the day before');
  expect(comparedText(hits(daysOf(1, 2)), view('compare=year'))).toBe('the compared days');
  expect(comparedText(hits(daysOf(1, 2), daysOf(1, 2)), view('compare=year'))).toMatch(/^\S.* 2025 to \S.* 2025$|2025/);
  expect(comparedText(hits(daysOf(1, 2), daysOf(1)), view('compare_start_date=2025-03-01'))).toMatch(/ \(1 day\)$/);
});
