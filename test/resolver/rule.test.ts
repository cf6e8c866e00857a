import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalPath } from '../../src/resolver/spelling/canonical-path.ts';
import { parseKey, ruleKey } from '../../src/resolver/rule.ts';
import { inSoak } from '../support/soak.ts';

test.each([
  ['the order of pairs does not matter', '/a?a=1&b=2', '/a?b=2&a=1'],
  ['a pair given twice is given once', '/a?a=1', '/a?a=1&a=1'],
  ['pairs are compared decoded', '/a?q=%C3%BC+x', '/a?%71=ü%20x'],
  ['a name without value has an empty one', '/a?x', '/a?x='],
  ['an empty query is no query', '/a', '/a?'],
  ['separators alone are no query', '/a', '/a?&&'],
  ['the path is compared in canonical form', '/%61/../b', '/b'],
])('%s', (_, one, other) => {
  expect(ruleKey(one, false)).toBe(ruleKey(other, false));
});

test.each([
  ['a slash at the end', '/a', '/a/'],
  ['case of the path', '/a', '/A'],
  ['case of a value', '/a?x=a', '/a?x=A'],
  ['a query', '/a', '/a?x'],
  ['one pair more', '/a?x=1', '/a?x=1&y=2'],
  ['an escaped ampersand in a value', '/a?x=1%26y=2', '/a?x=1&y=2'],
  ['an escaped equals sign in a name', '/a?x%3D1', '/a?x=1'],
  ['a plus sign and a space in a value', '/a?x=%2B', '/a?x=+'],
])('%s makes a different key', (_, one, other) => {
  expect(ruleKey(one, false)).not.toBe(ruleKey(other, false));
});

test('the key of a pattern is its text, byte for byte', () => {
  expect(ruleKey('^/%61/ü(.*)?x=1&a$', true)).toBe('^/%61/ü(.*)?x=1&a$');
});

const target = fc
  .array(
    fc.constantFrom(
      '/',
      'a',
      'B',
      '?',
      '&',
      '=',
      '+',
      '%',
      '%26',
      '%3D',
      '%FF',
      '%C3',
      '%A9',
      'é',
      '\u0301',
      ' ',
      '#',
      '.',
    ),
  )
  .map((pieces) => `/${pieces.join('')}`);

test('a key is its own key', () => {
  fc.assert(
    fc.property(target, (text) => {
      const key = ruleKey(text, false);
      expect(ruleKey(key, false)).toBe(key);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('a key parses back into its path and pairs', () => {
  fc.assert(
    fc.property(target, (text) => {
      const key = ruleKey(text, false);
      const { path, pairs } = parseKey(key);
      expect(path).toBe(canonicalPath(text));
      expect(ruleKey(`${path}?${pairs.join('&')}`, false)).toBe(key);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('parsing keeps names without value, empty names and equals signs', () => {
  expect(parseKey(ruleKey('/a?flag&=v&x=1=2&y%3Dz=3', false))).toEqual({
    path: '/a',
    pairs: ['=v', 'flag', 'x=1%3D2', 'y%3Dz=3'],
  });
});
