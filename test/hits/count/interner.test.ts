import { expect, test } from 'vitest';
import { createInterner } from '../../../src/hits/count/interner.ts';

test('a text keeps its number until as many newer texts as there is room for', () => {
  const interner = createInterner(3, 10);
  const intern = (text: string): [number, boolean] => [interner.intern(text), interner.isNew];
  expect(['a', 'b', 'a', 'c'].map(intern)).toEqual([
    [0, true],
    [1, true],
    [0, false],
    [2, true],
  ]);
  expect(intern('d')).toEqual([0, true]);
  expect(intern('b')).toEqual([1, false]);
  expect(intern('a')).toEqual([1, true]);
});

test('an overlong text is new each time, under the number that no other text has', () => {
  const interner = createInterner(3, 4);
  for (let i = 0; i < 2; i++) expect([interner.intern('abcde'), interner.isNew]).toEqual([3, true]);
});
