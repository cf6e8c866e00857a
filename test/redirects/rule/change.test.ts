import { describe, expect, test } from 'vitest';
import { planChange, planCreation, type RedirectChange } from '../../../src/redirects/rule/change.ts';
import { createdAt, fields, now, redirectRow, website } from './redirect-row.ts';

const plan = (change: RedirectChange, before = redirectRow()) => planChange(before, change, website);

describe('a change', () => {
  test('without effect keeps the row and its time', () => {
    const before = redirectRow();
    const same = plan({ ...fields, notes: undefined }, before);
    expect(same).toMatchObject({ changed: [], touched: [], mayLoopIn: [], issues: [] });
    expect(same.row).toBe(before);
  });

  test('of the target moves the revision of the rule in each environment', () => {
    const { row, changed, touched, mayLoopIn } = plan({ newPath: '/c' }, redirectRow({ inDev: 4 }));
    expect(changed).toEqual(['newPath']);
    expect(row).toMatchObject({ newPath: '/c', rev: 9, inProd: 9, inStaging: null, inDev: 9 });
    expect(row).toMatchObject({ id: 5, createdAt, updatedAt: now });
    expect(touched).toEqual(['production', 'development']);
    expect(mayLoopIn).toEqual(['production', 'development']);
  });

  test('of the status code changes what is served, but cannot close a loop', () => {
    const { row, touched, mayLoopIn } = plan({ statusCode: 302 });
    expect(row).toMatchObject({ statusCode: 302, rev: 9, inProd: 9 });
    expect(touched).toEqual(['production']);
    expect(mayLoopIn).toEqual([]);
  });

  test('of the window changes what is served, but cannot close a loop', () => {
    const activeFrom = new Date('2030-06-01T00:00:00Z');
    const scheduled = plan({ activeFrom });
    expect(scheduled.row).toMatchObject({ activeFrom, activeUntil: null, rev: 9, inProd: 9 });
    expect([scheduled.changed, scheduled.touched, scheduled.mayLoopIn]).toEqual([['activeFrom'], ['production'], []]);
    const same = new Date(activeFrom);
    expect(plan({ activeFrom: same }, scheduled.row).changed).toEqual([]);
    const later = new Date(activeFrom.getTime() + 1);
    expect(plan({ activeFrom: later }, scheduled.row).changed).toEqual(['activeFrom']);
    expect(plan({ activeFrom: null }, scheduled.row).row).toMatchObject({ activeFrom: null });
    expect(plan({ activeUntil: same }, scheduled.row).issues).toMatchObject([{ path: 'active_until' }]);
  });

  test('of labels keeps the revision and touches no environment', () => {
    const { row, changed, touched, mayLoopIn } = plan({ groupId: 'spring', notes: 'n' });
    expect(changed).toEqual(['groupId', 'notes']);
    expect(row).toMatchObject({ groupId: 'spring', notes: 'n', rev: 3, inProd: 3, updatedAt: now });
    expect([touched, mayLoopIn]).toEqual([[], []]);
  });

  test('tells a label "null" from no label', () => {
    expect(plan({ notes: 'null' }).changed).toEqual(['notes']);
    expect(plan({ notes: null }, redirectRow({ notes: 'null' })).changed).toEqual(['notes']);
  });

  test('of the environments keeps the revision of those that stay', () => {
    const { row, touched, mayLoopIn } = plan({ environments: ['production', 'staging'] });
    expect(row).toMatchObject({ rev: 9, inProd: 3, inStaging: 9, inDev: null });
    expect([touched, mayLoopIn]).toEqual([['staging'], ['staging']]);
  });

  test('to no environment makes a draft', () => {
    const { row, touched, mayLoopIn } = plan({ environments: [] });
    expect(row).toMatchObject({ rev: 9, inProd: null, inStaging: null, inDev: null });
    expect([touched, mayLoopIn]).toEqual([['production'], []]);
  });

  test('of the spelling of the path alone keeps the revision', () => {
    const { row, changed, touched } = plan({ oldPath: '/x/../a' });
    expect(changed).toEqual(['oldPath']);
    expect(row).toMatchObject({ oldPath: '/x/../a', key: '/a', rev: 3, inProd: 3 });
    expect(touched).toEqual([]);
  });

  test('of the path moves the key', () => {
    expect(plan({ oldPath: '/A b' }).row).toMatchObject({ oldPath: '/A b', key: '/A%20b', rev: 9 });
  });

  test('to a pattern counts as a new pattern, and a change of its target does not', () => {
    const pattern = plan({ isRegex: true, oldPath: '^/a/(.*)$' });
    expect(pattern.newPattern).toMatchObject({ groupCount: 1 });
    expect(pattern.row.key).toBe('^/a/(.*)$');
    expect(plan({ newPath: '/c/$1' }, pattern.row).newPattern).toBeNull();
    expect(plan({ oldPath: '^/b/(.*)$' }, pattern.row).newPattern).not.toBeNull();
  });

  test('with an invalid field keeps the row and reports every issue', () => {
    const before = redirectRow();
    const { row, touched, issues } = plan({ notes: 'n'.repeat(2_001), newPath: 'c' }, before);
    expect(row).toBe(before);
    expect(touched).toEqual([]);
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      ['notes', 'TOO_LONG'],
      ['new_path', 'INVALID_NEW_PATH'],
    ]);
  });

  test('of labels alone does not check the paths again', () => {
    expect(plan({ notes: 'n' }, redirectRow({ newPath: 'https://gone.example/' })).issues).toEqual([]);
  });
});

describe('a creation', () => {
  test('targets the rule since the revision of the transaction', () => {
    const { row, newPattern, issues } = planCreation(
      { ...fields, oldPath: '/A b', environments: ['production', 'development'] },
      website,
    );
    expect([newPattern, issues]).toEqual([null, []]);
    expect(row).toEqual({
      websiteId: 7,
      key: '/A%20b',
      oldPath: '/A b',
      newPath: '/b',
      statusCode: 301,
      isRegex: false,
      groupId: null,
      notes: null,
      rev: 9,
      inProd: 9,
      inStaging: null,
      inDev: 9,
      activeFrom: null,
      activeUntil: null,
      createdAt: now,
      updatedAt: now,
    });
  });

  test('of a pattern counts against the limit', () => {
    const { newPattern } = planCreation({ ...fields, oldPath: '^/(.*)$', isRegex: true }, website);
    expect(newPattern).toMatchObject({ text: '^/(.*)$' });
  });

  test('reports the issues of paths and labels', () => {
    const { issues } = planCreation({ ...fields, oldPath: 'a', groupId: 'a\nb' }, website);
    expect(issues.map(({ path }) => path)).toEqual(['old_path', 'group_id']);
  });
});
