import { expect, test } from 'vitest';
import { isLikely, nearnessText, offered, usable } from '../../dashboard/src/ui/suggestions.ts';

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

test('only likely and sure suggestions redirect in one click', () => {
  expect((['sure', 'likely', 'guess', null] as const).filter(isLikely)).toEqual(['sure', 'likely']);
});

test('none below 30 % is taken for many at once', () => {
  expect(usable([{ target: '/new', score: 0.28, reasons: [] }])).toEqual([]);
});

test.each([
  ['/shop/sofas/green-sofas', '/shop/sofas/green-sofa', 'guess', 'one letter differs'],
  ['/products/oak-lampe.html', '/products/oak-lamp', 'guess', 'one letter and the ending differ'],
  ['/shop/Oak-lomp/?ref=mail', '/lamps/oak-lamp', null, 'one letter differs'],
  ['/shop/oak-lamps', '/shop/oak-lamp', 'likely', 'likely, 19%'],
  ['/shop/oak-lamp-2', '/shop/oak-lamp-3', 'guess', 'a guess, 19%'],
  ['/shop/oak-lamp', '/shop/oak-lamp', 'guess', 'a guess, 19%'],
  ['/shop/oak-lamps-x', '/shop/oak-lamp', null, '19%'],
  ['/de', '/dev', 'guess', 'a guess, 19%'],
] as const)('%s -> %s (%s) is "%s"', (path, target, confidence, text) =>
  expect(nearnessText(path, confidence, { target, score: 0.19, reasons: [] })).toBe(text),
);
