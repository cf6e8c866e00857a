import { expect, test } from 'vitest';
import { expiryOf, reachOf, stateOf } from '../../dashboard/src/screens/keys/key-state.ts';

const NOW = Date.parse('2030-03-01T12:00:00Z');

test.each([
  ['working', null, null],
  ['working', '2030-03-15T12:00:00Z', null],
  ['ending', '2030-03-15T11:59:59Z', null],
  ['ending', '2030-03-01T12:00:01Z', null],
  ['expired', '2030-03-01T12:00:00Z', null],
  ['revoked', '2029-01-01T00:00:00Z', '2028-01-01T00:00:00Z'],
  ['revoked', null, '2030-03-01T11:00:00Z'],
])('a key is %s if it expires %s and was revoked %s', (state, expires, revoked) => {
  expect(stateOf({ expires_at: expires, revoked_at: revoked, replaced_by: null }, NOW)).toBe(state);
});

test('a rolled key is replaced until it has ended', () => {
  const rolled = { revoked_at: null, replaced_by: 'key_1' };
  expect(stateOf({ ...rolled, expires_at: '2030-03-02T12:00:00Z' }, NOW)).toBe('replaced');
  expect(stateOf({ ...rolled, expires_at: '2030-03-01T12:00:00Z' }, NOW)).toBe('expired');
});

test('a lifetime in days ends that many days from now, in whole seconds; never is null', () => {
  expect(expiryOf('never', '', NOW)).toBeNull();
  expect(expiryOf('30', '', NOW + 999)).toBe('2030-03-31T12:00:00Z');
});

test('a specific day lasts until its end in the local time zone', () => {
  const end = expiryOf('day', '2030-05-01') ?? '';
  expect(end).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:59Z$/);
  expect(new Date(Date.parse(end) + 1_000)).toEqual(new Date(2030, 4, 2));
});

test('a key names the websites that it is limited to', () => {
  const websites = ['Shop', 'Blog', 'Help', 'Docs', 'News'].map((name, index) => ({ id: index + 1, name }));
  expect(reachOf({ website_ids: null }, websites)).toBe('All websites');
  expect(reachOf({ website_ids: [2, 9] }, websites)).toBe('Only Blog, Website 9');
  expect(reachOf({ website_ids: [1, 2, 3, 4, 5] }, websites)).toBe('Only Shop, Blog, Help and 2 more');
  expect(reachOf({ website_ids: [] }, websites)).toBe('No website: the chosen ones are deleted');
});
