import { expect, test } from 'vitest';
import { offered, usable } from '../../dashboard/src/ui/suggestions.ts';

const offeredOf = (...scores: number[]) =>
  offered(scores.map((score) => ({ target: '/new', score, reasons: [] }))).map(({ score }) => score);

test.each([
  [
    [0.9, 0.4, 0.2],
    [0.9, 0.4],
  ],
  // One letter differs, and the others have little in common.
  [[0.28, 0.03, 0.02], [0.28]],
  [[0.17], [0.17]],
  [[0.28, 0.2], []],
  [[0.09], []],
  [[], []],
])('of %j the offered ones are %j', (scores, found) => expect(offeredOf(...scores)).toEqual(found));

test('none below 30 % is taken for many at once', () => {
  expect(usable([{ target: '/new', score: 0.28, reasons: [] }])).toEqual([]);
});
