import { describe, expect, test } from 'vitest';
import { checkEnvironments, checkLabels, parseEnvironmentList, trimmedOrNull } from '../../src/rules/check-fields.ts';

test('labels are stored trimmed, and null if empty', () => {
  expect([' a b ', ' \t', '', null].map(trimmedOrNull)).toEqual(['a b', null, null, null]);
});

describe('labels', () => {
  test('may have 200 and 2,000 characters, counted as code points', () => {
    expect(checkLabels('😀'.repeat(200), '😀'.repeat(2_000))).toEqual([]);
    expect(checkLabels('😀'.repeat(201), '😀'.repeat(2_001)).map(({ path, code }) => [path, code])).toEqual([
      ['group_id', 'TOO_LONG'],
      ['notes', 'TOO_LONG'],
    ]);
  });

  test('may contain line breaks and tabs only in notes', () => {
    expect(checkLabels(null, 'a\tb\r\nc')).toEqual([]);
    expect(checkLabels('a\tb', 'a\u0000b').map(({ path, code }) => [path, code])).toEqual([
      ['group_id', 'CONTROL_CHARACTER'],
      ['notes', 'CONTROL_CHARACTER'],
    ]);
  });

  test('must not contain lone surrogates, NUL and other control characters', () => {
    expect(checkLabels('\ud800', '\udc00')).toHaveLength(2);
    expect(checkLabels('a\u0000b', 'a\u0007b')).toHaveLength(2);
    expect(checkLabels('a\nb', null)).toHaveLength(1);
  });
});

describe('a list of environments', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['production', ['production']],
    [' development , production ', ['production', 'development']],
    ['development,staging,production', ['production', 'staging', 'development']],
  ])('%j is %j', (text, environments) => {
    expect(parseEnvironmentList(text)).toEqual({ environments });
  });

  test.each([
    'live',
    'Production',
    'production,',
    ',',
    'production,,staging',
    'production;staging',
    'production,production',
  ])('%j is invalid', (text) => {
    expect(parseEnvironmentList(text)).toHaveProperty('problem');
  });

  test('names the unknown environment', () => {
    expect(checkEnvironments(['staging', 'live'])).toEqual({
      problem: '"live" is not an environment; use production, staging, development',
    });
  });
});
