/**
 * Holds the rules of src/resolver/patterns/pattern-size.ts, pattern-syntax.ts, pattern-tree.ts and character-set.ts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalPath } from '../../../src/resolver/spelling/canonical-path.ts';
import { admitPattern, type Pattern, storedPatternForm } from '../../../src/resolver/patterns/pattern.ts';
import { matchPattern } from './match-pattern.ts';
import { inSoak } from '../../support/soak.ts';

function admitted(text: string): Pattern {
  const result = admitPattern(text);
  if (!result.ok) throw new Error(`${text} was rejected: ${result.reason}`);
  return result.pattern;
}

test.each([
  ['a pattern must begin like a path', 'blog/.*', 'begins with "/" or "^/"'],
  ['a wildcard at the start is not a slash', '.*', 'begins with "/" or "^/"'],
  ['an anchor alone is not a start', '^blog', 'begins with "/" or "^/"'],
  ['a group is not a slash', '(/a)', 'begins with "/" or "^/"'],
  ['a pattern has a limit', `/${'a'.repeat(1_000)}`, '1,000 characters'],
  ['a lookahead is not supported', '/(?=a)', 'is a lookahead'],
  ['a negative lookahead is not supported', '/(?!a)', 'is a lookahead'],
  ['a lookbehind is not supported', '/(?<=a)b', 'is a lookbehind'],
  ['back references are not supported', '/(a)\\1', '\\1 is a back reference'],
  ['atomic groups are not supported', '/(?>a)', 'atomic'],
  ['a repetition has a limit', '/a{1001}', '1,000 times'],
  ['nested repetitions are multiplied', '/(?:a{100}){100}', '1,000 times'],
  ['a repetition needs something to repeat', '/(*)', 'repeats nothing'],
  ['a repetition is not repeated', '/a**', 'repeats a repetition'],
  ['a range of repetitions ascends', '/a{2,1}', '{2,1}'],
  ['a group must be closed', '/(a', '")" is missing'],
  ['a bracket must be opened', '/a)', 'closes nothing'],
  ['a class must be closed', '/[a', '"]" is missing'],
  ['a range ascends', '/[z-a]', 'z-a'],
  ['an escape must have a meaning', '/\\y', '\\y has no meaning'],
  ['a backslash at the end escapes nothing', '/a\\', 'backslash at the end'],
  ['an unknown property is not a class', '/\\p{Klingon}', 'Klingon'],
  ['a group name is a word', '/(?P<a-b>x)', 'named group'],
  ['two groups cannot have one name', '/(?P<a>x)(?P<a>y)', 'names two groups'],
  ['non-ASCII in a class is several characters', '/[äö]', 'write such characters as alternatives, (?:%C3%A4|...)'],
  ['non-ASCII in a negated class is several characters', '/[^ä]', '(?:%C3%A4|...)'],
  ['non-ASCII in a class by number is several characters', '/[\\x{e4}]', '(?:%C3%A4|...)'],
  ['non-ASCII that is repeated is several characters', '/ä+', 'write (?:%C3%A4)+'],
  ['non-ASCII that is optional is several characters', '/ä?', 'write (?:%C3%A4)?'],
  ['non-ASCII that is counted is several characters', '/ä{2}', 'write (?:%C3%A4){2}'],
  ['the last digit of an escape is not repeated', '/%C3%BC?', 'repeats a part of an escape'],
  ['a large part after a repetition is too expensive', '/(.*a.{900})', 'repetition'],
  ['an expanded pattern that is too large is too expensive', `/${'(?:a?){1000}'.repeat(5)}`, 'repeat less'],
])('%s', (_, text, reason) => {
  const result = admitPattern(text);
  expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
});

test.each([
  ['/blog/([0-9]+)', '/blog/'],
  ['^/blog/([0-9]+)$', '/blog/'],
  ['/über/.*', '/%C3%BCber/'],
  ['/a b.*', '/a%20b'],
  ['/%c3%bc.*', '/%C3%BC'],
  ['/blog/?', '/blog'],
  ['/blogs?/x', '/blog'],
  ['/a\\.b\\+c(.*)', '/a.b+c'],
  ['/blog/a|/blog/b', '/blog/'],
  ['/blog/(?i)x', '/blog/'],
  ['/\\Qa.b\\E.*', '/a.b'],
  ['^/(blog)/(.*)$', '/blog/'],
  ['/((?P<a>b)lo)g(.*)', '/blog'],
  ['/blog(?i:x)', '/blog'],
  ['/blog(/x)?', '/blog'],
  ['/blog(/x|/y)', '/blog'],
])('%s begins with %s', (text, prefix) => {
  expect(storedPatternForm(text)).toMatchObject({ prefix });
});

test.each(['/.*', '^/(blog|news)/x', '/a|/b', '/?a', '/(.*)', '/a?', '/(?i)blog', '/[a-z]+/x'])(
  '%s has no literal prefix',
  (text) => {
    expect(storedPatternForm(text)?.prefix).toMatch(/^\/?$/);
  },
);

test('group names are in the order of the group numbers', () => {
  const pattern = admitted('/(?P<b>x)(y)(?:z)(?P<a>w)');
  expect(pattern.groupCount).toBe(3);
  expect(pattern.groupNames).toEqual(['b', 'a']);
});

test('a match has the whole path and the capture of each group', () => {
  expect(matchPattern(admitted('/(?P<a>x)?/(y)'), '//y')).toMatchObject({
    values: ['//y', undefined, 'y'],
    names: { a: 1 },
  });
  expect(matchPattern(admitted('/(x)'), '/y')).toBeUndefined();
});

test('long alternations of words are accepted', () => {
  const words = Array.from({ length: 90 }, (_, i) => `article-${i}`).join('|');
  expect(matchPattern(admitted(`/(${words})/.*`), '/article-89/x')?.values[1]).toBe('article-89');
});

test('an accepted pattern matches the longest path within milliseconds', () => {
  const hostile = [
    '/(a+)+b',
    `/${'(.*a)'.repeat(20)}b`,
    `/(.*)${'a?'.repeat(50)}b`,
    '/(?:a|aa|aaa)*b',
    '/(.*)a.{50}b?',
    `/${'a?'.repeat(490)}b`,
  ];
  for (const text of hostile) {
    const pattern = admitted(text);
    for (const path of [`/${'a'.repeat(2_046)}c`, `/${'ab'.repeat(1_023)}`]) {
      matchPattern(pattern, path);
      const started = performance.now();
      matchPattern(pattern, path);
      // The goal is 5 ms; the rest is for a busy machine.
      expect(performance.now() - started).toBeLessThan(100);
    }
  }
});

/** Patterns that mean the same in RE2 and JavaScript, with letters of the paths below. */
const part = fc.constantFrom(
  ...[
    'a',
    'b',
    '/',
    'ab',
    '/a',
    '.',
    '\\.',
    '[ab]',
    '[^a]',
    '(a)',
    '(?:ab)',
    '(a|b)',
    '(a|/b)',
    '(a)?',
    '(ab)+',
    '(a(b)/)',
    '((a)b)?',
  ],
  ...['a?', 'b*', 'a{2}', '(?:a|b)*', '|/', '|/a', '$', '(?:/|a$)', '%2F', '%2', '%[0-9]F', '\\w', '(?:(?:b)|a)'],
);
const text = fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('')}`);
const path = fc
  .array(fc.constantFrom('a', 'b', '/', 'ab', '.', '%2F', 'A', 'B'), { maxLength: 6 })
  .map((parts) => canonicalPath(`/${parts.join('')}`));

/** The same pattern for JavaScript, which does not fold escaped letters. */
function native(pattern: string, caseSensitive: boolean): RegExp {
  const written = pattern.replaceAll('ÿ', '%C3%BF');
  const letters = caseSensitive ? written : written.replaceAll(/%C3%BF|%C5%B8/g, '(?:%C3%BF|%C5%B8)');
  return new RegExp(`^(?:${letters})$`, caseSensitive ? '' : 'i');
}

test('the check by literals never excludes a matching path, with or without case', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(path, { minLength: 10, maxLength: 30 }),
      fc.boolean(),
      (pattern, paths, caseSensitive) => {
        const result = admitPattern(pattern);
        if (!result.ok) return;
        const program = native(pattern, caseSensitive);
        for (const each of paths) {
          const match = matchPattern(result.pattern, each, caseSensitive);
          expect([each, match !== undefined]).toEqual([each, program.test(each)]);
        }
      },
    ),
    { numRuns: inSoak(2_000, 200) },
  );
}, 60_000);
