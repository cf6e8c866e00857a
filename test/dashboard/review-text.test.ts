import { expect, test } from 'vitest';
import {
  chainsThrough,
  loopsOf,
  type NotMeant,
  notMeantOf,
  notMeantText,
  removalQuestion,
  reviewText,
  startKind,
} from '../../dashboard/src/screens/deployments/review-text.ts';
import type { ReviewedAction } from '../../dashboard/src/api/deployments.ts';
import { reviewedIn, reviewUrl } from '../../dashboard/src/urls.ts';

const automatic = { isForced: false, isAutomatic: true };

const question = (removed: number, live: number | undefined, more: { liveOnly?: number; notMeant?: NotMeant } = {}) =>
  removalQuestion({ removed, live, liveOnly: 0, notMeant: undefined, ...more });

test('more than 10 % of the live redirects are removed only after a question with both numbers', () => {
  expect(question(10, 100)).toBeUndefined();
  expect(question(0, 0)).toBeUndefined();
  expect(question(11, 100)).toBe('Remove 11 of 100 live redirects');
  expect(question(4_731, 4_732)).toBe('Remove 4,731 of 4,732 live redirects');
  expect(question(1, 1)).toBe('Remove all 1 live redirect');
  expect([question(0, undefined), question(2, undefined)]).toEqual([undefined, 'Remove 2 live redirects']);
});

test.each([
  ['more removals than others', { added: 2, changed: 1, removed: 4 }, 1_000, 'removed'],
  ['removals that have to be confirmed', { added: 50, changed: 0, removed: 11 }, 100, 'removed'],
  ['few removals', { added: 50, changed: 0, removed: 10 }, 100, undefined],
  ['few removals while the live ones are not counted', { added: 50, changed: 0, removed: 10 }, undefined, undefined],
  ['no difference', { added: 0, changed: 0, removed: 0 }, 0, undefined],
] as const)('a review with %s opens on the kind that matters most', (_, counts, live, kind) => {
  expect(startKind(counts, live)).toBe(kind);
});

test.each<ReviewedAction>([
  { action: 'deploy' },
  { action: 'promote', source: 'staging' },
  { action: 'rollback', version: 12 },
])('the URL keeps the action: $action', (reviewed) => {
  const url = new URL(reviewUrl(7, 'production', reviewed, { force: true }), 'http://x.example');
  expect(url.pathname).toBe('/websites/7/deployments/review');
  expect(url.searchParams.get('force')).toBe('true');
  expect(reviewedIn(url.searchParams)).toEqual(reviewed);
});

test('unknown actions are deployments', () => {
  for (const text of ['', 'action=promote&source=x', 'action=rollback&version=0']) {
    expect(reviewedIn(new URLSearchParams(text))).toEqual({ action: 'deploy' });
  }
});

test('the title names both environments of a promotion', () => {
  expect(reviewText('production', { action: 'promote', source: 'staging' }, automatic).title).toBe(
    'Promote staging to production',
  );
  expect(reviewText('staging', { action: 'rollback', version: 3 }, automatic).title).toBe(
    'Roll back staging to version 3',
  );
  expect(reviewText('staging', { action: 'deploy' }, { ...automatic, isForced: true })).toMatchObject({
    title: 'Deploy to staging anyway?',
    verb: 'Deploy anyway',
  });
});

test('only a website with automatic deployments stops them', () => {
  const leads = (isAutomatic: boolean) =>
    (
      [
        { action: 'rollback', version: 3 },
        { action: 'promote', source: 'staging' },
      ] as const
    ).map((reviewed) => reviewText('production', reviewed, { isForced: false, isAutomatic }).lead);
  expect(leads(true)).toEqual([
    'Publishes its rules again, and stops automatic deployments to production until the next Deploy.',
    'Publishes what is live in staging, and adds production to its redirects. If redirects for production then differ, automatic deployments stop until the next Deploy.',
  ]);
  expect(leads(false)).toEqual([
    'Publishes its rules again.',
    'Publishes what is live in staging, and adds production to its redirects.',
  ]);
});

test('removals that a promotion has left, or would do, are named apart', () => {
  expect(question(76, 90, { liveOnly: 75, notMeant: { count: 75, environment: 'production' } })).toBe(
    'Remove 76 of 90 live redirects, 75 of them live only by a promotion',
  );
  expect(question(76, 90, { notMeant: { count: 1_000, environment: 'staging' } })).toBe(
    'Remove 76 of 90 live redirects, 1,000 of them not meant for staging',
  );
});

test.each<[ReviewedAction, number, string | undefined]>([
  [
    { action: 'promote', source: 'staging' },
    2,
    '2 redirects are not meant for staging, and are removed from production.',
  ],
  [{ action: 'promote', source: 'staging' }, 1, '1 redirect is not meant for staging, and is removed from production.'],
  [{ action: 'promote', source: 'staging' }, 0, undefined],
  [{ action: 'deploy' }, 3, '3 redirects are not meant for production, and are removed.'],
  [{ action: 'rollback', version: 3 }, 3, undefined],
])('%o of production removes %d redirects that are not meant for it', (reviewed, count, text) => {
  const notMeant = notMeantOf('production', reviewed, count);
  expect(notMeant && notMeantText(notMeant, 'production')).toBe(text);
});

test('the loops of a promotion are those of the live version, of a rollback those of its version', () => {
  const loop = { code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] };
  const list = [
    { status: 'failed' as const, version: null, warnings: [loop] },
    { status: 'completed' as const, version: 3, warnings: [] },
    { status: 'completed' as const, version: 2, warnings: [{ code: 'URL_SHADOWED', old_paths: ['/c'] }, loop] },
  ];
  expect(loopsOf(list, { action: 'promote', source: 'staging' })).toEqual([]);
  expect(loopsOf(list, { action: 'rollback', version: 2 })).toEqual([loop]);
  expect(loopsOf(list, { action: 'rollback', version: 1 })).toBeUndefined();
});

test('a chain is named if the difference adds one of its redirects, or gives one another target', () => {
  const rule = (old_path: string, new_path = '/x') => ({ old_path, new_path });
  const diff = {
    added: [rule('/new')],
    changed: [
      { before: rule('/moved', '/1'), after: rule('/moved', '/2') },
      { before: rule('/noted'), after: rule('/noted') },
    ],
  } as Parameters<typeof chainsThrough>[0];
  const chains = [
    { old_path: '/new', via: ['/b'] },
    { old_path: '/old', via: ['/b', '/moved'] },
    { old_path: '/noted', via: ['/b'] },
  ];
  expect(chainsThrough(diff, chains)).toEqual(chains.slice(0, 2));
});
