import { describe, expect, test } from 'vitest';
import { type Dialect, keyDialect, sessionDialect } from '../../../src/surfaces/resources/dialect.ts';
import type { DomainError } from '../../../src/vocabulary/error.ts';

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as DomainError).code;
  }
  return 'no error';
}

/** The values that a schema reports for invalid input. */
function issuesOf(dialect: Dialect, value: unknown): unknown[] {
  const { error } = dialect.environments.input.safeParse(value);
  return (error?.issues ?? []).map((issue) => (issue.code === 'custom' ? issue.params?.['code'] : issue.code));
}

describe('the session dialect', () => {
  test('writes ids as integers and environments as a comma string', () => {
    expect(sessionDialect.writeId(7)).toBe(7);
    expect(sessionDialect.environments.write(['production', 'staging'])).toBe('production,staging');
  });

  test('reads a comma string in any order, with spaces', () => {
    expect(sessionDialect.environments.input.parse(' staging, production')).toEqual(['production', 'staging']);
    expect(sessionDialect.environments.input.parse('')).toEqual([]);
  });

  test.each(['live', 'staging,staging', ','])('%j is INVALID_ENVIRONMENT', (text) => {
    expect(issuesOf(sessionDialect, text)).toEqual(['INVALID_ENVIRONMENT']);
  });

  test.each(['0', '-1', '1.5', '2147483648', 'x', ''])('website id %j in a path does not exist', (text) => {
    expect(sessionDialect.websiteId.path.safeParse(text).error?.issues[0]).toMatchObject({
      params: { code: 'WEBSITE_NOT_FOUND' },
    });
  });

  test('redirect ids may exceed int4', () => {
    expect(sessionDialect.redirectId.path.parse('9007199254740991')).toBe(9_007_199_254_740_991);
    expect(sessionDialect.redirectId.path.safeParse('9007199254740992').success).toBe(false);
  });
});

describe('the key dialect', () => {
  test('writes ids as strings and environments as an array', () => {
    expect(keyDialect.writeId(7)).toBe('7');
    expect(keyDialect.environments.write(['production', 'staging'])).toEqual(['production', 'staging']);
  });

  test('reads an array of environments in any order', () => {
    expect(keyDialect.environments.input.parse(['staging', 'production'])).toEqual(['production', 'staging']);
  });

  test.each([[['live']], [['staging', 'staging']]])('%j is INVALID_ENVIRONMENT', (list) => {
    expect(issuesOf(keyDialect, list)).toEqual(['INVALID_ENVIRONMENT']);
  });

  test.each(['0', '-1', '1.5', '01', '2147483648', 'x', ''])('website id %j does not exist', (text) => {
    expect(codeOf(() => keyDialect.websiteId.read(text))).toBe('WEBSITE_NOT_FOUND');
  });

  test.each(['0', '01', '9007199254740992', 'x'])('redirect id %j does not exist', (text) => {
    expect(codeOf(() => keyDialect.redirectId.read(text))).toBe('REDIRECT_NOT_FOUND');
  });

  test('reads ids up to their limits', () => {
    expect(keyDialect.websiteId.read('2147483647')).toBe(2_147_483_647);
    expect(keyDialect.redirectId.read('9007199254740991')).toBe(9_007_199_254_740_991);
  });
});
