import { expect, test } from 'vitest';
import { changeText, historyText, undoneText } from '../../dashboard/src/ui/change-text.ts';
import { fieldChanges, windowText } from '../../dashboard/src/ui/redirect-fields.ts';

const NONE = { created: 0, updated: 0, deleted: 0 };

test.each([
  ['create', { created: 1 }, '/sale', 'created /sale'],
  ['bulk_update', { updated: 2 }, null, 'updated 2 redirects'],
  ['import', { created: 3, updated: 1 }, null, 'imported redirects: 3 created, 1 updated'],
  ['sync', { deleted: 1 }, '/sale', 'synced redirects: 1 deleted, /sale'],
  ['undo', {}, null, 'undid a change: nothing to change'],
] as const)('the change %s of %j and the path %s is "%s"', (kind, counts, old_path, text) => {
  expect(changeText({ kind, counts: { ...NONE, ...counts }, fields: null, old_path })).toBe(text);
});

test('an update names up to three fields', () => {
  const counts = { ...NONE, updated: 2_703 };
  const textOf = (fields: string[]) => changeText({ kind: 'bulk_update', counts, fields, old_path: null });
  expect(textOf(['group_id'])).toBe('changed the group of 2,703 redirects');
  expect(textOf(['active_from', 'active_until', 'notes'])).toBe(
    'changed the schedule and the notes of 2,703 redirects',
  );
  expect(textOf(['old_path', 'new_path', 'notes', 'group_id'])).toBe('updated 2,703 redirects');
  const single = { kind: 'update', counts: { ...NONE, updated: 1 }, fields: ['new_path'], old_path: '/sale' } as const;
  expect(changeText({ ...single, fields: ['new_path'] })).toBe('changed the target of /sale');
});

test('a history names the operation unless it was a single edit', () => {
  expect(historyText({ kind: 'create', before: null, after: {} })).toBe('created it');
  expect(historyText({ kind: 'import', before: {}, after: {} })).toBe('updated it with an import');
  expect(historyText({ kind: 'bulk_delete', before: {}, after: null })).toBe('deleted it in a bulk deletion');
});

test.each([
  [{ restored: 1, recreated: 2, deleted: 3, conflicts: 0 }, 'Undone: 3 restored, 3 deleted'],
  [{ restored: 0, recreated: 0, deleted: 1, conflicts: 2 }, 'Undone: 1 deleted; 2 redirects left unchanged'],
  [{ restored: 0, recreated: 0, deleted: 0, conflicts: 1 }, 'Nothing undone: 1 redirect left unchanged'],
  [{ restored: 0, recreated: 0, deleted: 0, conflicts: 0 }, 'Nothing to undo'],
])('%j is "%s"', (undo, text) => {
  expect(undoneText({ undo, conflicts: [], change_id: null })).toBe(text);
});

test('only fields that differ are listed, times in the locale of the user', () => {
  const before = { old_path: '/a', new_path: '/b', active_until: null };
  const after = { ...before, new_path: '/c', active_until: '2030-01-01T12:00:00Z' };
  expect(fieldChanges(before, after)).toEqual([
    { label: 'To', before: '/b', after: '/c' },
    { label: 'Active until', before: 'None', after: expect.stringMatching(/2030.*:00/) },
  ]);
});

test('a window is shown by the bounds that it has', () => {
  const [active_from, active_until] = ['2030-01-01T12:00:00Z', '2031-01-01T12:00:00Z'];
  expect(windowText({ active_from: null, active_until: null })).toBe('');
  expect(windowText({ active_from, active_until: null })).toMatch(/^from .*2030/);
  expect(windowText({ active_from, active_until })).toMatch(/^from .*2030.* until .*2031/);
});
