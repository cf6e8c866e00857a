/** Results by answers. */
import { expect, test } from 'vitest';
import { judge } from '../../../src/checks/run/judge.ts';
import type { QueuedTarget } from '../../../src/checks/run/target-queue.ts';
import type { CheckKind } from '../../../src/vocabulary/checks.ts';
import { answer } from '../../support/checks.ts';

const NOW = new Date('2030-05-15T12:00:00Z');
const later = (minutes: number): Date => new Date(NOW.getTime() + 60_000 * minutes);

const target = (more: Partial<QueuedTarget> = {}): QueuedTarget => ({
  ...{ n: 1, url: 'https://shop.example/old', host: 'shop.example', isOwn: true, tries: 0, state: null, reason: null },
  ...{ before: null, expectedStatus: null, expectedLocation: null, waitingSince: null },
  ...more,
});

const of = (kind: CheckKind, probed: Parameters<typeof answer>[0], more: Partial<QueuedTarget> = {}) => {
  const { state, reason, confirmed, tries, dueAt, waitingSince } = judge(kind, target(more), answer(probed), NOW);
  return { state, reason, confirmed, tries, dueAt, waitingSince };
};
const final = (state: string, reason: string | null = null) => ({
  ...{ state, reason, confirmed: true, tries: 0, dueAt: null, waitingSince: null },
});

test('a state other than an error is final', () => {
  expect(of('targets', { state: 'dead', reason: 'http_404', status: 404 })).toEqual(final('dead', 'http_404'));
  expect(of('targets', { state: 'blocked', reason: 'robots', status: null })).toEqual(final('blocked', 'robots'));
});

test('an error is confirmed by the third try, an hour after the first', () => {
  const error = { state: 'error', reason: 'dns', status: null } as const;
  const first = { ...final('error', 'dns'), confirmed: false, tries: 1, dueAt: later(30) };
  expect(of('targets', error)).toEqual(first);
  expect(of('targets', error, { tries: 1, state: 'error' })).toEqual({ ...first, tries: 2 });
  expect(of('targets', error, { tries: 2, state: 'error' })).toEqual({ ...final('error', 'dns'), tries: 3 });
});

test('a fault of the service keeps the state, and is never confirmed', () => {
  const fault = { state: 'error', reason: 'internal', status: null } as const;
  const kept = { ...final('dead', 'http_404'), confirmed: false, tries: 1, dueAt: later(1) };
  expect(of('targets', fault, { state: 'dead', reason: 'http_404' })).toEqual(kept);
  expect(of('targets', fault, { tries: 2 })).toEqual({ ...final('error', 'internal'), confirmed: false, tries: 3 });
});

test('a refused address is final at once, and never confirmed: it was not asked', () => {
  const refused = { state: 'error', reason: 'address_not_allowed', status: null } as const;
  expect(of('targets', refused)).toEqual({ ...final('error', 'address_not_allowed'), confirmed: false });
});

test('an error that asks to wait for longer than the retry is asked when it says', () => {
  const error = { state: 'error', reason: 'http_503', status: 503, retryAfterSeconds: 3_600 } as const;
  expect(of('targets', error).dueAt).toEqual(later(60));
});

test('a 429 is waited for up to ten minutes, then it is blocked', () => {
  const busy = { state: 'blocked', reason: 'http_429', status: 429 } as const;
  const waiting = { ...final('x'), state: null, confirmed: false, waitingSince: NOW };
  expect(of('targets', { ...busy, retryAfterSeconds: 120 })).toEqual({ ...waiting, dueAt: later(2) });
  expect(of('targets', busy)).toEqual({ ...waiting, dueAt: later(1) });
  const since = later(-9);
  expect(of('targets', busy, { waitingSince: since })).toEqual({ ...waiting, dueAt: later(1), waitingSince: since });
  expect(of('targets', busy, { waitingSince: later(-9.5) })).toEqual(final('blocked', 'http_429'));
  expect(of('targets', { ...busy, retryAfterSeconds: 601 })).toEqual(final('blocked', 'http_429'));
});

test('a living URL that redirects for now is moved, also if the end works', () => {
  expect(of('urls', { status: 302, location: '/b' })).toEqual(final('moved', 'http_302'));
  expect(of('urls', {})).toEqual(final('ok'));
});

test.each([
  [{ status: 301, location: 'https://shop.example/new' }, 'ok', null],
  [{ status: 301, location: '/new', state: 'dead', reason: 'http_404' }, 'ok', null],
  [{ status: 302, location: '/new' }, 'differs', 'http_302'],
  [{ status: 301, location: '/other' }, 'differs', 'location'],
  [{ status: 410 }, 'differs', 'http_410'],
  [{ status: 200 }, 'not_served', 'http_200'],
  [{ status: 404, state: 'dead' }, 'not_served', 'http_404'],
  [{ status: 403, state: 'blocked' }, 'error', 'http_403'],
  [{ status: 502, state: 'error' }, 'error', 'http_502'],
  [{ status: null, state: 'error', reason: 'tls' }, 'error', 'tls'],
] as const)('a source that should redirect to /new and answers %j is %s', (probed, state, reason) => {
  const expected = { expectedStatus: 301, expectedLocation: '/new' };
  expect(of('sources', probed, expected)).toMatchObject({ state, reason });
});

test('a source without a target is ok if it is gone as the rule says', () => {
  const expected = { expectedStatus: 410, expectedLocation: null };
  expect(of('sources', { status: 410, state: 'dead', reason: 'http_410' }, expected)).toEqual(final('ok'));
});
