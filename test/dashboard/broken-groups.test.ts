import { expect, test } from 'vitest';
import type { BrokenTarget } from '../../dashboard/src/api/client/wire.ts';
import {
  bestTarget,
  byTarget,
  commonTarget,
  hitsOf,
  retargetsOf,
} from '../../dashboard/src/screens/health/broken-groups.ts';

const broken = (redirect_id: number, new_path: string, suggestions: [string, number][] = []): BrokenTarget => ({
  redirect_id,
  old_path: `/old-${redirect_id}`,
  new_path,
  state: 'dead',
  reason: 'http_404',
  checked_at: '2026-11-02T03:04:05Z',
  hits: 2,
  suggestions: suggestions.map(([target, score]) => ({ target, score, reasons: [] })),
});

const NEAR: [string, number][] = [
  ['/a', 0.9],
  ['/b', 0.3],
];

test('redirects with one target are adjacent, at the place of the first one', () => {
  const groups = byTarget([broken(1, '/gone'), broken(2, '/lost'), broken(3, '/gone')]);
  expect(groups.map((group) => group.map(({ redirect_id: id }) => id))).toEqual([[1, 3], [2]]);
});

test('the hits of a group are those of its redirects, and unknown if one is', () => {
  const group = [broken(1, '/gone'), broken(2, '/gone')];
  expect(hitsOf(group)).toBe(4);
  expect(hitsOf([...group, { ...broken(3, '/gone'), hits: null }])).toBeNull();
});

test('the best target is the first one of at least 30 %', () => {
  expect(bestTarget(broken(1, '/gone', NEAR))).toBe('/a');
  expect(bestTarget(broken(1, '/gone', [['/a', 0.29]]))).toBeUndefined();
  expect(commonTarget([broken(1, '/gone', NEAR), broken(2, '/lost', NEAR)])).toBe('/a');
  expect(commonTarget([broken(1, '/gone', NEAR), broken(2, '/lost')])).toBeUndefined();
});

test('redirects with the same former and next target are one update; others stay', () => {
  const found = [
    broken(1, '/gone', NEAR),
    broken(2, '/lost', [['/a', 0.5]]),
    broken(3, '/gone', NEAR),
    broken(4, '/x'),
  ];
  expect(retargetsOf(found, bestTarget)).toEqual([
    { redirectIds: [1, 3], from: '/gone', to: '/a' },
    { redirectIds: [2], from: '/lost', to: '/a' },
  ]);
});
