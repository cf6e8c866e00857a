import { expect, test } from 'vitest';
import { planEntry } from '../../../../src/redirects/import/engine/plan-entry.ts';
import { providedBit, type StagedRow, targetBits } from '../../../../src/redirects/import/engine/staged-row.ts';
import type { RedirectRow } from '../../../../src/redirects/rule/redirect.ts';
import { now, redirectRow, website } from '../../rule/redirect-row.ts';

/** An entry for /a to /b that names no other field. */
function entry(values: Partial<StagedRow> = {}): StagedRow {
  return {
    seq: 0,
    line: 2,
    key: '/a',
    oldPath: null,
    newPath: '/b',
    statusCode: null,
    isRegex: null,
    groupId: null,
    notes: null,
    activeFrom: null,
    activeUntil: null,
    targets: 0,
    provided: 0,
    redirect: null,
    ...values,
  };
}

const NO_ROOM = { path: 'old_path', code: 'TOO_MANY_PATTERNS', message: 'no room' } as const;

const plan = (existing: RedirectRow | null, staged: StagedRow, admitted: string[] = []) =>
  planEntry(
    existing,
    staged,
    website,
    (key) => (admitted.includes(key) ? undefined : NO_ROOM),
    (host, environment) => host === 'shop.example' && environment === 'staging',
  );

test('a new redirect takes the default of each field that the entry does not provide', () => {
  expect(plan(null, entry({ oldPath: '/x/../a' }))).toEqual({
    row: redirectRow({ id: 0, oldPath: '/x/../a', rev: 9, inProd: 9, createdAt: now, updatedAt: now }),
  });
});

test('an existing redirect keeps the fields that the entry does not provide, and its spelling', () => {
  const existing = redirectRow({ oldPath: '/./a', statusCode: 302, notes: 'n', groupId: 'g' });
  const planned = plan(existing, entry({ newPath: '/c', notes: null, provided: providedBit('notes') }));
  expect(planned).toMatchObject({
    row: { id: 5, oldPath: '/./a', newPath: '/c', statusCode: 302, notes: null, groupId: 'g', rev: 9 },
  });
});

test('a 410 keeps its status, so an entry with a target and no status is invalid', () => {
  const gone = redirectRow({ newPath: null, statusCode: 410 });
  expect(plan(gone, entry())).toMatchObject({ issue: { path: 'new_path', code: 'TARGET_NOT_ALLOWED' } });
  const withStatus = entry({ statusCode: 301, provided: providedBit('statusCode') });
  expect(plan(gone, withStatus)).toMatchObject({ row: { newPath: '/b', statusCode: 301 } });
});

test('a target that is the path itself is a loop in the environments of its host, unless the redirect was one before', () => {
  const newPath = 'https://shop.example/a';
  const issue = { path: 'new_path', code: 'REDIRECT_LOOP', message: expect.stringContaining('in staging') };
  expect(plan(null, entry({ newPath }))).toMatchObject({ row: { newPath } });
  const inStaging = { targets: targetBits(['staging']), provided: providedBit('environments') };
  expect(plan(null, entry({ newPath, ...inStaging }))).toMatchObject({ issue });
  const existing = redirectRow({ newPath, inStaging: 3 });
  expect(plan(existing, entry({ newPath, notes: 'n', provided: providedBit('notes') }))).toMatchObject({
    row: { notes: 'n' },
  });
  expect(plan(redirectRow({ inStaging: 3 }), entry({ newPath }))).toMatchObject({ issue });
});

test('an unchanged target is invalid once its host is removed from the list', () => {
  const newPath = 'https://removed.example/b';
  const issue = { path: 'new_path', code: 'TARGET_HOST_NOT_ALLOWED' };
  expect(plan(redirectRow({ newPath }), entry({ newPath }))).toMatchObject({ issue });
});

test('a new pattern needs room on the website, an existing one does not', () => {
  const pattern = entry({ key: '^/p(.*)$', newPath: '/$1', isRegex: true, provided: providedBit('isRegex') });
  expect(plan(null, pattern)).toMatchObject({ issue: { code: 'TOO_MANY_PATTERNS' } });
  expect(plan(null, pattern, [pattern.key])).toMatchObject({ row: { key: pattern.key, isRegex: true } });
  const existing = redirectRow({ key: pattern.key, oldPath: pattern.key, isRegex: true });
  expect(plan(existing, pattern)).toMatchObject({ row: { newPath: '/$1' } });
});
