import { expect, test } from 'vitest';
import { decodeHealthCursor, encodeHealthCursor, pointerAt } from '../../src/health/cursor.ts';
import { currentRulesOf } from './current-rules.ts';

const rules = { ...currentRulesOf([]), at: { ...currentRulesOf([]).at, rulesRev: 12 } };
const position = { rev: 11, maxId: 900, after: [1, 2, 3, 4] };
const invalid = expect.objectContaining({ code: 'INVALID_PARAMETER' });

test('a cursor decodes to the position that it encodes', () => {
  expect(decodeHealthCursor(encodeHealthCursor(position, rules), rules)).toEqual(position);
});

test('a cursor ends with a change of the options or hosts, and never names a future revision', () => {
  const cursor = encodeHealthCursor(position, rules);
  const ignoresCase = { ...rules, website: { ...rules.website, caseSensitive: false } };
  const noHosts = { ...rules, website: { ...rules.website, hosts: [] } };
  for (const changed of [ignoresCase, noHosts]) {
    expect(() => decodeHealthCursor(cursor, changed)).toThrow(invalid);
  }
  const future = encodeHealthCursor({ ...position, rev: 13 }, rules);
  expect(() => decodeHealthCursor(future, rules)).toThrow(invalid);
});

test('before the first deployment any change of the redirects ends the report', () => {
  const undeployed = { ...rules, isUndeployed: true };
  expect(() => decodeHealthCursor(encodeHealthCursor(position, undeployed), undeployed)).toThrow(invalid);
  const current = { ...position, rev: 12 };
  expect(decodeHealthCursor(encodeHealthCursor(current, undeployed), undeployed)).toEqual(current);
});

test('the pointer of a position keeps the environment and takes revision and id of the position', () => {
  expect(pointerAt(position, rules.at)).toEqual({
    rulesEnv: 'production',
    rulesRev: 11,
    rulesMaxId: 900,
    targetHosts: null,
  });
});
