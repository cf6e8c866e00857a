import { expect, test } from 'vitest';
import {
  changeObject,
  changeText,
  deploymentObject,
  deploymentText,
  groupText,
  historyText,
} from '../../dashboard/src/ui/text/change-text.ts';
import { undoneText } from '../../dashboard/src/ui/undo-change.ts';
import { CHANGE_KINDS } from '../../src/vocabulary/kinds.ts';
import { fieldChanges, windowText } from '../../dashboard/src/ui/form/redirect-fields.ts';

const NONE = { created: 0, updated: 0, deleted: 0 };
const PLAIN = { counts: NONE, fields: null, old_path: null, file_name: null, undid: null };

test.each([
  ['create', { created: 1 }, '/sale', 'created /sale'],
  ['bulk_update', { updated: 2 }, null, 'updated 2 redirects'],
  ['import', { created: 3, updated: 1 }, null, 'imported redirects: 3 created, 1 updated'],
  ['sync', { deleted: 1 }, '/sale', 'synced redirects: 1 deleted, /sale'],
  ['undo', {}, null, 'undid a change: no redirect changed'],
] as const)('the change %s of %j and the path %s is "%s"', (kind, counts, old_path, text) => {
  expect(changeText({ ...PLAIN, kind, counts: { ...NONE, ...counts }, old_path })).toBe(text);
});

test('a group names its objects once, and the fields if they are the same', () => {
  const edit = (old_path: string, fields = ['new_path']) => ({ ...PLAIN, kind: 'update', old_path, fields }) as const;
  const edits = [edit('/a'), edit('/b'), edit('/c')];
  expect(groupText(edits, false)).toBe('changed the target of 3 redirects');
  expect(groupText(edits, true)).toBe('changed the target of at least 3 redirects');
  expect(groupText([...edits, edit('/d', ['notes'])], false)).toBe('edited 4 redirects');
  expect(groupText([edit('/a'), edit('/a'), edit('/a', ['notes'])], false)).toBe('edited /a 3 times');
  expect(groupText([...edits, edit('/a')], false)).toBe('changed the target of 3 redirects in 4 changes');
  expect(groupText([edit('/a'), edit('/a')], true)).toBe('changed the target of /a at least 2 times');
});

test('an update names up to three fields', () => {
  const counts = { ...NONE, updated: 2_703 };
  const textOf = (fields: string[]) => changeText({ ...PLAIN, kind: 'bulk_update', counts, fields });
  expect(textOf(['group_id'])).toBe('changed the group of 2,703 redirects');
  expect(textOf(['active_from', 'active_until', 'notes'])).toBe(
    'changed the schedule and the notes of 2,703 redirects',
  );
  expect(textOf(['old_path', 'new_path', 'notes', 'group_id'])).toBe('updated 2,703 redirects');
  const single = {
    ...PLAIN,
    kind: 'update',
    counts: { ...NONE, updated: 1 },
    fields: ['new_path'],
    old_path: '/sale',
  } as const;
  expect(changeText({ ...single, fields: ['new_path'] })).toBe('changed the target of /sale');
});

test.each([
  [{ kind: 'import', file_name: 'moves.csv' }, 'the import of moves.csv'],
  [{ kind: 'import' }, 'an import'],
  [{ kind: 'sync' }, 'a sync'],
  [{ kind: 'flatten' }, 'the flattening of chains'],
  [{ kind: 'bulk_update', fields: ['group_id'] }, 'the change of the group'],
  [{ kind: 'bulk_delete' }, 'a bulk deletion'],
  [{ kind: 'undo' }, 'an undo'],
] as const)('an undo of %j names it in the activity and in the history of a redirect', (done, name) => {
  const undid = { counts: NONE, file_name: null, ...done, fields: 'fields' in done ? [...done.fields] : null };
  const undo = { ...PLAIN, kind: 'undo', counts: { ...NONE, deleted: 2_707 }, undid } as const;
  expect(changeText(undo)).toBe(`undid ${name}: 2,707 redirects`);
  expect(changeText({ ...undo, old_path: '/sale' })).toBe(`undid ${name}: /sale`);
  expect(historyText({ ...undo, before: {}, after: null })).toBe(`deleted it by undoing ${name}`);
});

test('an undo says how many redirects stayed', () => {
  const undid = { kind: 'bulk_update', counts: { ...NONE, updated: 60 }, fields: null, file_name: null } as const;
  const undo = { ...PLAIN, kind: 'undo', counts: { ...NONE, updated: 59 }, undid } as const;
  expect(changeText(undo)).toBe('undid a bulk update: 59 redirects; 1 stayed');
  expect(changeText({ ...undo, counts: NONE })).toBe('undid a bulk update: no redirect changed; 60 stayed');
  expect(changeText({ ...undo, counts: { ...NONE, updated: 60 } })).toBe('undid a bulk update: 60 redirects');
});

test('an import names its file', () => {
  const file = { ...PLAIN, kind: 'import', counts: { ...NONE, created: 3 }, file_name: 'moves.csv' } as const;
  expect(changeText(file)).toBe('imported moves.csv: 3 created');
  expect(historyText({ ...file, before: null, after: {} })).toBe('created it with the import of moves.csv');
});

test('a history names the operation unless it was a single edit', () => {
  expect(historyText({ ...PLAIN, kind: 'create', before: null, after: {} })).toBe('created it');
  expect(historyText({ ...PLAIN, kind: 'import', before: {}, after: {} })).toBe('updated it with an import');
  expect(historyText({ ...PLAIN, kind: 'bulk_delete', before: {}, after: null })).toBe('deleted it in a bulk deletion');
});

test.each([
  [{ restored: 1, recreated: 2, deleted: 3, conflicts: 0 }, 'Undone: 3 restored, 3 deleted'],
  [{ restored: 0, recreated: 0, deleted: 1, conflicts: 2 }, 'Undone: 1 deleted; 2 redirects left unchanged'],
  [{ restored: 0, recreated: 0, deleted: 0, conflicts: 1 }, 'Nothing undone: 1 redirect left unchanged'],
  [{ restored: 0, recreated: 0, deleted: 0, conflicts: 0 }, 'Nothing to undo'],
])('%j is "%s"', (undo, text) => {
  expect(undoneText({ undo })).toBe(text);
});

test('only fields that differ are listed, times in the locale of the user', () => {
  const before = { old_path: '/a', new_path: '/b', active_until: null };
  const after = { ...before, new_path: '/c', active_until: '2030-01-01T12:00:00Z' };
  expect(fieldChanges(before, after)).toEqual([
    { label: 'To', before: '/b', after: '/c' },
    { label: 'Active until', before: 'None', after: expect.stringMatching(/2030.*:00/) },
  ]);
  expect(fieldChanges({ new_path: '/m%C3%BCnchen' }, { new_path: '/m%C3%BCnchen%2Fost' })).toEqual([
    { label: 'To', before: '/münchen', after: '/münchen%2Fost' },
  ]);
});

test('a window is shown by the bounds that it has', () => {
  const [active_from, active_until] = ['2030-01-01T12:00:00Z', '2031-01-01T12:00:00Z'];
  expect(windowText({ active_from: null, active_until: null })).toBe('');
  expect(windowText({ active_from, active_until: null })).toMatch(/^from .*2030/);
  expect(windowText({ active_from, active_until })).toMatch(/^from .*2030.* until .*2031/);
});

test('no text of a change or a deployment has a raw name, and a change names its redirect', () => {
  const changes = CHANGE_KINDS.flatMap((kind) =>
    [null, '/sale'].map((old_path) => ({ ...PLAIN, kind, old_path, counts: { ...NONE, updated: 2 } })),
  );
  const fields = ['target_environments', 'is_regex', 'status_code'];
  const texts = [...changes.map(changeText), changeText({ ...PLAIN, kind: 'update', old_path: '/sale', fields })];
  expect(texts.filter((text) => /[a-z]_[a-z]|[a-z]\.[a-z]/.test(text))).toEqual([]);
  expect(
    changes.filter((change) => change.old_path !== null && !changeText(change).includes(changeObject(change))),
  ).toEqual([]);
});

test.each([
  [{ kind: 'explicit', status: 'completed', source: null }, 'version 4'],
  [{ kind: 'explicit', status: 'failed', source: null }, 'production'],
  [
    { kind: 'rollback', status: 'completed', source: { environment: 'production', version: 2 } },
    'version 4 (the rules of version 2)',
  ],
  [{ kind: 'rollback', status: 'failed', source: { environment: 'production', version: 2 } }, 'version 2'],
  [{ kind: 'automatic', status: 'failed', source: null }, 'production'],
] as const)('the text of the deployment %j has its object %s', (shown, object) => {
  const deployment = { ...shown, environment: 'production', version: 4, redirect_count: 3 } as const;
  expect([deploymentObject(deployment), deploymentText({ ...deployment, error: null })]).toEqual([
    object,
    expect.stringContaining(object),
  ]);
});
