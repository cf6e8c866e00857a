import { describe, expect, test } from 'vitest';
import { callDefaults, checkEntry, type EntryContext } from '../../../../src/formats/read/json/check-entry.ts';

const context: EntryContext = {
  allowedTargetHosts: ['shop.example'],
  servesRules: () => false,
  defaults: { groupId: undefined, environments: undefined },
};

const check = (value: unknown, more: Partial<EntryContext> = {}) => checkEntry(value, 3, { ...context, ...more });

describe('an entry', () => {
  test('keeps apart what it does not specify, what it clears and what it sets', () => {
    expect(check({ old_path: '/a/../b', new_path: '/c', group_id: null, notes: ' n ' })).toEqual({
      line: 3,
      key: '/b',
      oldPath: '/a/../b',
      newPath: '/c',
      statusCode: undefined,
      isRegex: undefined,
      groupId: null,
      notes: 'n',
      environments: undefined,
      isUndecided: false,
    });
  });

  test('takes the defaults of the call only for fields that it does not have', () => {
    const defaults = { groupId: 'call', environments: ['staging' as const] };
    expect(check({ old_path: '/a', new_path: '/b' }, { defaults })).toMatchObject(defaults);
    const own = { group_id: 'own', target_environments: ['development', 'production'] };
    expect(check({ old_path: '/a', new_path: '/b', ...own }, { defaults })).toMatchObject({
      groupId: 'own',
      environments: ['production', 'development'],
    });
  });

  test('may have the fields that an export writes', () => {
    const exported = { id: 7, website_id: 1, created_at: 'x', deployed_to_prod: null };
    expect(check({ old_path: '/a', new_path: '/b', ...exported })).toMatchObject({ key: '/a' });
  });

  test('with an absolute target is undecided until the website is known', () => {
    const absolute = { old_path: '/a', new_path: 'https://other.example/b' };
    expect(check(absolute)).toMatchObject({ column: 'new_path', code: 'TARGET_HOST_NOT_ALLOWED' });
    expect(check(absolute, { allowedTargetHosts: 'any' })).toMatchObject({ key: '/a', isUndecided: true });
    expect(check({ old_path: '/a', new_path: '/b' }, { allowedTargetHosts: 'any' })).toMatchObject({
      isUndecided: false,
    });
  });

  test.each([
    ['text', 'redirects', 'INVALID_PARAMETER', 'an entry must be an object with old_path and new_path'],
    [{ old_path: '/a', colour: 1 }, 'colour', 'UNKNOWN_FIELD', '"colour" is not a known field; remove it'],
    [{ old_path: 1 }, 'old_path', 'INVALID_PARAMETER', 'old_path must be a string'],
    [{ old_path: '/a', is_regex: 'true' }, 'is_regex', 'INVALID_PARAMETER', 'is_regex must be true or false'],
    [{ new_path: '/a' }, 'old_path', 'MISSING_PARAMETER', 'old_path is required'],
    [{ old_path: '/a' }, 'new_path', 'MISSING_PARAMETER', 'new_path is required; only a 410 or 451 has no target'],
  ])('%j is invalid in %s', (value, column, code, message) => {
    expect(check(value)).toMatchObject({ line: 3, column, code, message });
  });

  test.each([410, 451])('needs no new_path with status %i', (status_code) => {
    expect(check({ old_path: '/a', status_code })).toMatchObject({ newPath: null, statusCode: status_code });
  });

  test('is invalid with an unknown or repeated environment, and with a label that is too long', () => {
    const entry = { old_path: '/a', new_path: '/b' };
    for (const target_environments of [['moon'], ['staging', 'staging']])
      expect(check({ ...entry, target_environments })).toMatchObject({
        code: 'INVALID_ENVIRONMENT',
        oldPath: '/a',
      });
    expect(check({ ...entry, group_id: 'g'.repeat(201) })).toMatchObject({
      column: 'group_id',
      code: 'TOO_LONG',
    });
  });
});

describe('the defaults of a call', () => {
  test('are trimmed and put in order', () => {
    expect(callDefaults(' g ', ['staging', 'production'])).toEqual({
      groupId: 'g',
      environments: ['production', 'staging'],
    });
    expect(callDefaults(undefined, undefined)).toEqual({ groupId: undefined, environments: undefined });
    expect(callDefaults(null, [])).toEqual({ groupId: null, environments: [] });
  });

  test.each([
    [1, undefined, 'INVALID_PARAMETER', 'group_id'],
    [undefined, 'staging', 'INVALID_PARAMETER', 'target_environments'],
    ['g'.repeat(201), undefined, 'VALIDATION_ERROR', 'group_id'],
    [undefined, ['moon'], 'VALIDATION_ERROR', 'target_environments'],
  ])('%j and %j are %s', (groupId, environments, code, path) => {
    expect(() => callDefaults(groupId, environments)).toThrow(
      expect.objectContaining({ code, issues: [expect.objectContaining({ path })] }),
    );
  });
});
