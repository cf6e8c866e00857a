import { expect, test } from 'vitest';
import { hasConflict, rebased } from '../../dashboard/src/ui/list/changed-elsewhere.tsx';

const base = { name: 'a', notes: 'b', hosts: ['one'] };

test('a field that only one side has changed keeps that change, on both sides', () => {
  const draft = { ...base, name: 'mine' };
  const current = { ...base, hosts: ['one', 'two'] };
  const both = { name: 'mine', notes: 'b', hosts: ['one', 'two'] };
  expect(rebased(draft, { base, current }, 'mine')).toEqual(both);
  expect(rebased(draft, { base, current }, 'theirs')).toEqual(both);
  expect(hasConflict(draft, { base, current })).toBe(false);
});

test('a field that both have changed gets the value of the chosen side', () => {
  const draft = { ...base, name: 'mine', notes: 'kept' };
  const current = { ...base, name: 'theirs' };
  expect(rebased(draft, { base, current }, 'mine')).toEqual({ ...base, name: 'mine', notes: 'kept' });
  expect(rebased(draft, { base, current }, 'theirs')).toEqual({ ...base, name: 'theirs', notes: 'kept' });
  expect(hasConflict(draft, { base, current })).toBe(true);
});

test('the same change by both sides is no conflict', () => {
  const same = { ...base, hosts: ['two'] };
  expect(hasConflict(same, { base, current: { ...base, hosts: ['two'] } })).toBe(false);
});
