import { expect, test } from 'vitest';
import type { ActivityEntry, Change } from '../../dashboard/src/api/client/wire.ts';
import { groupedRows } from '../../dashboard/src/screens/activity/groups.ts';

const ANN = { type: 'user', id: '1', name: 'ann@example.com' } as const;
const BEN = { type: 'user', id: '2', name: 'ben@example.com' } as const;

/** A change at a minute of a day, of Ann unless said. */
function entry(minute: number, more: Partial<Change> = {}): ActivityEntry {
  const at = new Date(2030, 4, 15, 12, minute).toISOString();
  const change: Change = {
    ...{ id: `chg_${minute}`, website_id: 1, revision: minute, kind: 'update', actor: ANN, old_path: `/${minute}` },
    ...{ counts: { created: 0, updated: 1, deleted: 0 }, fields: ['new_path'], file_name: null, created_at: at },
    ...{ before: null, after: null, undoes: null, undid: null, undone_by: null, undone: null },
    ...more,
  };
  const { website_id, actor } = change;
  return { type: 'change', created_at: at, website_id, actor, change, deployment: null, settings: null };
}

/** How many changes each row has. */
const sizes = (entries: ActivityEntry[]) => groupedRows(entries).map(({ group }) => group?.length ?? 1);

test('three equal neighbours are one row in their order, two are not', () => {
  expect(sizes([entry(3), entry(2)])).toEqual([1, 1]);
  const [row, ...others] = groupedRows([entry(3), entry(2), entry(1)]);
  expect(others).toEqual([]);
  expect(row?.change?.id).toBe('chg_3');
  expect(row?.group?.map(({ id }) => id)).toEqual(['chg_3', 'chg_2', 'chg_1']);
});

test('another person, kind or website, a bulk edit and settings end a group', () => {
  for (const more of [{ actor: BEN }, { kind: 'create' }, { website_id: 2 }, { kind: 'bulk_update' }] as const)
    expect(sizes([entry(7), entry(6), entry(5), entry(4, more), entry(3), entry(2)])).toEqual([3, 1, 1, 1]);
  const settings: ActivityEntry = { ...entry(4), type: 'settings', change: null };
  expect(sizes([entry(7), entry(6), entry(5), settings, entry(3), entry(2), entry(1)])).toEqual([3, 1, 3]);
  const bulk = { kind: 'bulk_update', old_path: null } as const;
  expect(sizes([entry(3, bulk), entry(2, bulk), entry(1, bulk)])).toEqual([1, 1, 1]);
});

test('a group spans at most an hour, and stays within a day', () => {
  expect(sizes([entry(61), entry(31), entry(1), entry(0)])).toEqual([3, 1]);
  const midnight = 12 * 60;
  expect(sizes([entry(midnight + 1), entry(midnight), entry(midnight - 1), entry(midnight - 2)])).toEqual([1, 1, 1, 1]);
});

test('an entry of a further page joins the last group', () => {
  const first = [entry(4), entry(3), entry(2)];
  expect(sizes([...first, entry(1)])).toEqual([4]);
});
