import { expect, test } from 'vitest';
import {
  changeSlot,
  emptyHashTable,
  type HashTable,
  onlyReference,
  putSlot,
} from '../../../src/resolver/literals/hash-table.ts';

/** Tags whose first bits repeat, so that segments split often. */
const tagOf = (i: number): number => Math.imul(i + 1, 0x9e3779b1) >>> 0;
const COUNT = 60_000;

function filled(): HashTable {
  const table = emptyHashTable();
  for (let i = 0; i < COUNT; i++) putSlot(table, 1, tagOf(i), i + 1);
  return table;
}

test('every tag is found after the table has grown, and an unknown tag is 0', () => {
  const table = filled();
  expect(table.depth).toBeGreaterThan(2);
  for (let i = 0; i < COUNT; i++) if (onlyReference(table, tagOf(i)) !== i + 1) throw new Error(`tag ${i} is lost`);
  expect(onlyReference(table, tagOf(COUNT))).toBe(0);
});

test('a removed tag is gone and all others stay', () => {
  const table = filled();
  for (let i = 0; i < COUNT; i += 3) changeSlot(table, 1, tagOf(i), i + 1, 0);
  for (let i = 0; i < COUNT; i++)
    if (onlyReference(table, tagOf(i)) !== (i % 3 === 0 ? 0 : i + 1)) throw new Error(`tag ${i} is wrong`);
  expect(() => changeSlot(table, 1, tagOf(0), 1, 2)).toThrow('does not exist');
});

test('a change by another owner copies only the segment of the tag', () => {
  const table = filled();
  const fork = { ...table, directory: table.directory.slice() };
  changeSlot(fork, 2, tagOf(5), 6, 77);
  expect([onlyReference(fork, tagOf(5)), onlyReference(table, tagOf(5))]).toEqual([77, 6]);
  const copied = new Set(fork.directory.filter((segment, i) => segment !== table.directory[i]));
  expect(copied.size).toBe(1);
});
