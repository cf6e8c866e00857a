import { expect, test } from 'vitest';
import { classify } from '../../../src/checks/probe/classify.ts';

const to = (...statuses: number[]) => statuses.map((status) => ({ status, location: 'https://a.example/' }));

test.each([
  [[], 200, 'ok', null],
  [[], 204, 'ok', null],
  [[302], 200, 'ok', null],
  [[302, 301], 200, 'ok', null],
  [[301], 200, 'moved', null],
  [[308, 302, 307], 200, 'moved', null],
  [[], 404, 'dead', 'http_404'],
  [[], 410, 'dead', 'http_410'],
  [[301], 404, 'dead', 'http_404'],
  ...[401, 403, 405, 429, 451, 999].map((status) => [[], status, 'blocked', `http_${status}`] as const),
  [[301], 403, 'blocked', 'http_403'],
  ...[400, 402, 406, 408, 418, 421, 500, 502, 503, 504, 599].map(
    (status) => [[], status, 'error', `http_${status}`] as const,
  ),
  [[301], 500, 'error', 'http_500'],
  [[], 304, 'error', 'http_304'],
  [[], 300, 'error', 'http_300'],
  [[301], 301, 'error', 'http_301'],
] as const)('hops %j to %i: %s', (hops, status, state, reason) => {
  expect(classify({ hops: to(...hops), status, reason: null })).toEqual({ state, reason });
});

test.each([301, 302, 303, 307, 308])('a %i that was not to be followed is ok', (status) => {
  expect(classify({ hops: to(status), status, reason: null }, true)).toEqual({ state: 'ok', reason: null });
});

test.each([
  ...['dns', 'tls', 'timeout', 'refused', 'reset', 'address_not_allowed', 'bad_location', 'internal'].map(
    (reason) => [reason, 'error'] as const,
  ),
  ['robots', 'blocked'],
  ['retry_after', 'blocked'],
  ['loop', 'loop'],
  ['too_many_hops', 'loop'],
] as const)('a chain without an end because of %s: %s, also after a permanent hop', (reason, state) => {
  expect(classify({ hops: to(301), status: null, reason })).toEqual({ state, reason });
});
