import { expect, test } from 'vitest';
import { CHECK_STATES } from '../../src/vocabulary/checks.ts';
import { reasonText, resultText, STATE_ORDER } from '../../dashboard/src/checks/states.ts';

const found = (fields: Partial<Parameters<typeof resultText>[0]>) =>
  resultText({ state: 'ok', reason: null, confirmed: true, note: null, ...fields });

test('each state has a tab', () => {
  expect(STATE_ORDER.toSorted()).toEqual(CHECK_STATES.toSorted());
});

test.each([
  ['dns', 'The host name does not exist or does not resolve'],
  ['http_404', 'The page does not exist (404)'],
  ['http_503', 'The server fails (503)'],
  ['http_999', 'The host refuses automatic requests (999)'],
  ['http_418', 'The host responds (418)'],
  ['of_a_later_version', 'of_a_later_version'],
  [null, ''],
])('the reason %s reads %s', (reason, text) => {
  expect(reasonText(reason)).toBe(text);
});

test.each(
  'dns tls timeout refused reset no_answer robots retry_after too_many_hops loop address_not_allowed bad_location location pattern not_live internal'.split(
    ' ',
  ),
)('the reason %s has a sentence of its own', (reason) => {
  expect(reasonText(reason)).toMatch(/^[A-Z].* .*[^.]$/);
});

test('a result says why, and what follows', () => {
  expect(found({})).toBe('');
  expect(found({ state: 'soft_404' })).toBe('The page is equal to that of a random address in the same folder');
  expect(found({ state: 'error', reason: 'timeout' })).toBe('The host does not answer within 10 seconds');
  expect(found({ state: 'error', reason: 'timeout', confirmed: false })).toMatch(
    /\. It is tried again within an hour$/,
  );
  expect(found({ note: 'host_answers_everything' })).toBe('The host answers any path like this one');
  expect(found({ state: null, confirmed: false })).toBe('');
  expect(found({ state: null, confirmed: false, reason: 'http_429' })).toMatch(/\(429\)\. It is asked again$/);
});
