import { describe, expect, test } from 'vitest';
import { assertDeletes, assertRevision } from '../../../../src/redirects/import/sync/sync-guards.ts';
import { allowedDeletes } from '../../../../src/rules/max-delete.ts';
import { SyncQuery } from '../../../../src/surfaces/key-api/sync-wire.ts';
import { DomainError } from '../../../../src/vocabulary/error.ts';

function errorOf(work: () => void): DomainError {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('no DomainError');
}

const parse = (query: Record<string, string>) => SyncQuery.safeDecode(query);

describe('max_delete', () => {
  test.each([
    ['0', { count: 0 }],
    ['250', { count: 250 }],
    ['20%', { percent: 20 }],
    ['0.5%', { percent: 0.5 }],
    ['100%', { percent: 100 }],
  ])('%s', (text, expected) => {
    expect(parse({ max_delete: text }).data?.max_delete).toEqual(expected);
  });

  test.each(['', '-1', '1.5', '%', '101%', '20 %', '1000000000', 'all', '20%%'])('rejects %j', (text) => {
    expect(parse({ max_delete: text }).success).toBe(false);
  });

  test('by default is 10 %, and at least 10', () => {
    expect([0, 5, 100, 109, 200, 1_000_000].map((total) => allowedDeletes(undefined, total, 1))).toEqual([
      ...[10, 10, 10, 10, 20, 100_000],
    ]);
  });

  test('by default is nothing if the body has no entries', () => {
    expect([undefined, { count: 5 }, { percent: 100 }].map((max) => allowedDeletes(max, 5, 0))).toEqual([0, 5, 5]);
  });

  test('as a percentage is exact', () => {
    expect(allowedDeletes({ percent: 0.07 }, 10_000, 1)).toBe(7);
    expect(allowedDeletes({ percent: 33.3 }, 10, 1)).toBe(3);
    expect(allowedDeletes({ percent: 100 }, 7, 1)).toBe(7);
    expect(allowedDeletes({ percent: 0 }, 7, 1)).toBe(0);
  });
});

test('one deletion more than allowed is an error with the counts', () => {
  const sync = { created: 3, updated: 0, deleted: 11, unchanged: 9 };
  const counts = { ...sync, cleared: { notes: 0 } };
  expect(() => assertDeletes({ ...counts, deleted: 10 }, 20, undefined)).not.toThrow();
  const error = errorOf(() => assertDeletes(counts, 20, undefined));
  const extra = { sync, cleared: {}, total: 20, max_delete: 10 };
  expect([error.code, error.extra]).toEqual(['TOO_MANY_DELETES', extra]);
  expect(error.details).toContain('max_delete=11');
});

test('one value more than allowed that is cleared is an error that names the field', () => {
  const sync = { created: 0, updated: 11, deleted: 0, unchanged: 9 };
  const counts = { ...sync, cleared: { notes: 11, group_id: 2 } };
  expect(() => assertDeletes(counts, 20, { count: 11 })).not.toThrow();
  const error = errorOf(() => assertDeletes(counts, 20, undefined));
  const extra = { sync, cleared: { notes: 11, group_id: 2 }, total: 20, max_delete: 10 };
  expect([error.code, error.extra]).toEqual(['TOO_MANY_DELETES', extra]);
  expect(error.details).toContain('notes of 11 of 20 redirects');
});

test('another revision is an error with the current one', () => {
  const at = { revision: 7, history: 'a' };
  const check = (ifRevision?: number, ifHistory?: string) => () => assertRevision({ ifRevision, ifHistory }, at);
  expect(check()).not.toThrow();
  expect(check(7)).not.toThrow();
  expect(check(7, 'a')).not.toThrow();
  const error = errorOf(check(6));
  expect([error.code, error.extra]).toEqual(['REVISION_CHANGED', at]);
  expect(error.details).toMatch(/^if_revision: .* send if_revision=7$/);
  const other = errorOf(check(7, 'b'));
  expect([other.code, other.extra]).toEqual(['REVISION_CHANGED', at]);
  expect(other.details).toMatch(/^if_history: .* send if_revision=7 and if_history=a$/);
});

test('an unknown parameter is rejected', () => {
  expect(parse({ maxDelete: '5' }).success).toBe(false);
});
