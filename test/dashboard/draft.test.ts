import { describe, expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import {
  areApart,
  changesOf,
  draftOf,
  EMPTY_DRAFT,
  fieldsOf,
  localErrors,
} from '../../dashboard/src/screens/redirects/edit/draft.ts';

const REDIRECT = {
  id: 7,
  website_id: 1,
  old_path: '/a',
  new_path: '/b',
  status_code: 301,
  is_regex: false,
  group_id: null,
  notes: 'why',
  target_environments: 'production',
  active_from: null,
  active_until: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  deployed_to_prod: null,
  deployed_to_staging: null,
  deployed_to_dev: null,
  target_state: null,
  target_checked_at: null,
};

test('an unchanged draft has no changes', () => {
  expect(changesOf(REDIRECT, draftOf(REDIRECT))).toEqual({});
});

test('only changed fields are sent; an emptied text is null', () => {
  expect(changesOf(REDIRECT, { ...draftOf(REDIRECT), notes: ' ', new_path: ' /c ' })).toEqual({
    notes: null,
    new_path: '/c',
  });
});

test('times of a schedule are stored as they are, and an empty one is null', () => {
  const scheduled = { ...REDIRECT, active_from: '2030-01-01T00:00:30Z' };
  expect(changesOf(scheduled, draftOf(scheduled))).toEqual({});
  expect(
    changesOf(scheduled, { ...draftOf(scheduled), active_from: '', active_until: '2031-01-01T00:00:00Z' }),
  ).toEqual({ active_from: null, active_until: '2031-01-01T00:00:00Z' });
});

test('a status without target removes the target', () => {
  expect(changesOf(REDIRECT, { ...draftOf(REDIRECT), status_code: 410 })).toEqual({
    status_code: 410,
    new_path: null,
  });
  expect(fieldsOf({ ...EMPTY_DRAFT, old_path: '/x', new_path: '/y', status_code: 451 }).new_path).toBeNull();
});

describe('local errors', () => {
  const errorsOf = (fields: Partial<typeof EMPTY_DRAFT>, hosts: string[] = []) =>
    Object.keys(localErrors({ ...EMPTY_DRAFT, old_path: '/a', new_path: '/b', ...fields }, hosts));

  test.each([['/a'], ['/a?x=1'], ['']])('%j is a valid source', (old_path) =>
    expect(errorsOf({ old_path })).toEqual([]),
  );

  test.each([['a'], ['//a'], ['/a#b'], ['https://example.com/a']])('%j is an invalid source', (old_path) =>
    expect(errorsOf({ old_path })).toEqual(['old_path']),
  );

  test('a pattern starts with / or ^/', () => {
    expect(errorsOf({ is_regex: true, old_path: '^/a/(.*)' })).toEqual([]);
    expect(errorsOf({ is_regex: true, old_path: '(.*)' })).toEqual(['old_path']);
  });

  test.each([['b'], ['//b'], ['/\\b'], ['http://example.com/'], ['https://other.example/'], ['/a']])(
    '%j is an invalid target',
    (new_path) => expect(errorsOf({ new_path })).toEqual(['new_path']),
  );

  test.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', ['active_until']],
    ['2030-01-02T00:00:00Z', '2030-01-01T00:00:00Z', ['active_until']],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z', []],
    ['', '2030-01-01T00:00:00Z', []],
  ])('from %j until %j', (active_from, active_until, errors) =>
    expect(errorsOf({ active_from, active_until })).toEqual(errors),
  );

  test('a target on an allowed host is valid', () => {
    expect(errorsOf({ new_path: 'https://Other.example/x' }, ['other.example'])).toEqual([]);
  });
});

test('changes are apart if they are of different settings; path, target, status and pattern are one, and both times', () => {
  const before = { old_path: '/a', new_path: '/b', status_code: 301, notes: null, active_from: null } as Redirect;
  const isApart = (theirs: object, mine: object) => areApart(before, { ...before, ...theirs }, mine);
  expect(isApart({ notes: 'theirs' }, { new_path: '/mine' })).toBe(true);
  expect(isApart({ notes: 'theirs' }, { notes: 'mine' })).toBe(false);
  expect(isApart({ status_code: 410, new_path: null }, { old_path: '/mine' })).toBe(false);
  expect(isApart({ active_from: '2030-01-01T00:00:00Z' }, { active_until: '2029-01-01T00:00:00Z' })).toBe(false);
  expect(isApart({ active_from: '2030-01-01T00:00:00Z' }, { status_code: 302 })).toBe(true);
});
