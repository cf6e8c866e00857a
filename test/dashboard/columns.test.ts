/** Which columns the list shows beside the paths, and how wide they are. */
import { describe, expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import { columnTemplate, shownColumns } from '../../dashboard/src/screens/redirects/list/columns.ts';

const has = { hasHits: true, hasGroups: true, hasSchedules: true };
const columns = (width: number, sort: Parameters<typeof shownColumns>[0]['sort'], more: object = {}) =>
  [...shownColumns({ width, sort, chosen: undefined, ...has, ...more })].join(' ');

describe('without a choice', () => {
  test.each([
    [1_500, '-id', 'schedule group hits last changed'],
    [1_200, '-id', 'schedule group hits last'],
    [1_200, 'updated_at', 'schedule group hits changed'],
    [900, '-id', 'hits'],
    [900, 'last_hit_at', 'last'],
    [900, '-updated_at', 'changed'],
  ] as const)('a list of %i px sorted by %s shows %s', (width, sort, expected) => {
    expect(columns(width, sort)).toBe(expected);
  });

  test('a website without groups and schedules, and a plan without analytics, leave the space to the paths', () => {
    expect(columns(1_200, '-id', { hasGroups: false, hasSchedules: false })).toBe('hits last');
    expect(columns(1_200, '-id', { hasHits: false, hasGroups: false, hasSchedules: false })).toBe('changed');
  });
});

test('chosen columns are shown, and the one that the list is sorted by', () => {
  expect(columns(1_500, '-id', { chosen: [] })).toBe('');
  expect(columns(1_200, '-hits', { chosen: ['changed'] })).toBe('hits changed');
  expect(columns(1_200, '-id', { chosen: ['target'], hasHits: false })).toBe('target');
  expect(columns(1_200, '-id', { chosen: ['group', 'hits'], hasHits: false })).toBe('group');
  expect(columns(1_200, '-id', { chosen: ['group'], hasGroups: false })).toBe('group');
});

const row = (old_path: string, new_path: string | null, more: Partial<Redirect> = {}) =>
  ({ old_path, new_path, target_environments: 'production', group_id: null, hits: 0, ...more }) as Redirect;
const template = (rows: Redirect[], shown: Parameters<typeof columnTemplate>[1] = new Set()) =>
  columnTemplate(rows, shown, '-id').split(/ (?![^(]*\))/);

test('the paths share what is left in proportion to their lengths', () => {
  expect(template([row('/a', '/b')]).slice(1, 3)).toEqual([
    'minmax(min(44px, 28%), 50fr)',
    'minmax(min(44px, 14%), 50fr)',
  ]);
  expect(template([row('/long/path/here', '/x')]).slice(1, 3)).toEqual([
    'minmax(min(148px, 28%), 85fr)',
    'minmax(min(44px, 14%), 15fr)',
  ]);
  expect(template([]).slice(1, 3)).toEqual(['minmax(min(28px, 28%), 50fr)', 'minmax(min(28px, 14%), 50fr)']);
});

test('a schedule takes the room of its text, none without one', () => {
  const widthOf = (more: Partial<Redirect>) =>
    Number.parseInt(template([row('/a', '/b', more)], new Set(['schedule'])).at(-1) ?? '');
  expect(widthOf({ active_from: '2020-12-24T10:00:00Z' })).toBe(62);
  expect(widthOf({ active_from: '2071-12-24T10:00:00Z' })).toBeGreaterThan(90);
});

test('a group takes free space beside short paths, and little beside long ones', () => {
  const groupOf = (from: string) => template([row(from, from, { group_id: 'news' })], new Set(['group'])).at(-1);
  expect(groupOf('/a')).toBe('minmax(42px, 25fr)');
  expect(groupOf('/a-folder/with/a/name/that/is/very/long/of/seventy/letters/and/some-more')).toBe(
    'minmax(42px, 10fr)',
  );
});

test('a last hit has room for a date, also in rows below the measured ones', () => {
  const lastOf = (last_hit_at: string | null) => template([row('/a', '/b', { last_hit_at })], new Set(['last'])).at(-1);
  expect(lastOf(null)).toBe('80px');
  expect(lastOf('2026-11-23T10:00:00Z')).toBe('80px');
});

test('hits, groups and environments are as wide as their content', () => {
  const few = template([row('/a', '/b', { hits: 5 })], new Set(['hits', 'group']));
  const many = template(
    [
      row('/a', '/b', {
        hits: 1_234_567,
        group_id: 'a long name of a group',
        target_environments: 'production,development',
      }),
    ],
    new Set(['hits', 'group']),
  );
  const pixels = (list: string[]) => list.slice(4).map((text) => Number.parseInt(text.replace('minmax(', '')));
  expect(pixels(few)).toEqual([68, 42, 62]);
  expect(pixels(many).every((width, at) => width > (pixels(few)[at] ?? 0) && width <= 132)).toBe(true);
});
