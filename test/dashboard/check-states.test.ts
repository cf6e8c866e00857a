import { expect, test } from 'vitest';
import { CHECK_STATES } from '../../src/vocabulary/checks.ts';
import { networkErrorText } from '../../dashboard/src/checks/network-error.ts';
import { groupResults, reasonText, resultText } from '../../dashboard/src/checks/results.ts';
import { badgeOf, STATE_ORDER } from '../../dashboard/src/checks/states.ts';

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

test('errors of one host with one cause are a group in the place of the first; dead pages only if they are many', () => {
  const result = (url: string, state: 'error' | 'dead', reason: string) => ({ url, state, reason, confirmed: true });
  const refused = [1, 2, 3, 4].map((n) => result(`https://old.example/${n}`, 'error', 'refused'));
  const dead = [1, 2, 3, 4].map((n) => result(`https://new.example/${n}`, 'dead', 'http_404'));
  const other = result('https://old.example/5', 'error', 'timeout');
  const [first, ...rest] = refused;
  expect(groupResults([first!, dead[0]!, other, ...rest, ...dead.slice(1)])).toEqual([
    { ...first, all: refused },
    dead[0],
    other,
    ...dead.slice(1),
  ]);
  expect(groupResults(refused.slice(1))).toEqual(refused.slice(1));
  const many = Array.from({ length: 20 }, (_, n) => result(`https://new.example/${n}`, 'dead', 'http_404'));
  expect(groupResults(many)).toEqual([{ ...many[0], all: many }]);
});

test('a private address is not called broken', () => {
  expect(badgeOf({ state: 'error', reason: 'address_not_allowed' })).toEqual({
    label: 'Private address, not checked',
    tone: '',
  });
  expect(badgeOf({ state: 'error', reason: 'refused' })).toMatchObject({ label: 'Error', tone: 'danger' });
  expect(badgeOf({ state: null, reason: null }).label).toBe('Waiting');
});

test.each([
  ['port 443: connect ECONNREFUSED 203.0.113.7:443', 'The host refuses the connection'],
  ['getaddrinfo ENOTFOUND shop.example', 'The host name does not exist or does not resolve'],
  [
    'the handshake failed: 00:error:0A00:SSL routines',
    'No secure connection: the certificate is invalid, or TLS fails',
  ],
  ['the certificate has expired; renew it', 'the certificate has expired; renew it'],
  ['browsers reject the certificate (CERT_REVOKED)', 'browsers reject the certificate'],
  ['the name servers did not answer (ETIMEOUT); retry later', 'the name servers did not answer; retry later'],
])('the error %j is shown as %j', (error, text) => {
  expect(networkErrorText(error)).toBe(text);
});
