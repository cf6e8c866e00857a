import { expect, test } from 'vitest';
import { learnNeighbours } from '../../src/suggestions/neighbours.ts';

const decided = (...pairs: [url: string, target: string][]) =>
  learnNeighbours(pairs.map(([url, target]) => ({ url, target })));

test('a page follows the folder of its neighbours', () => {
  const neighbours = decided(['/a/x', '/new/x'], ['/a/y', '/new/y'], ['/a/z', '/new/z']);
  expect(neighbours('/a/w?page=2')).toEqual({ target: '/new/w?page=2', folder: '/a/', agree: 3, of: 3 });
});

test('a page follows its neighbours to one page', () => {
  const neighbours = decided(['/a/x', '/new'], ['/a/y', '/new'], ['/a/z', '/new']);
  expect(neighbours('/a/w')?.target).toBe('/new');
});

test('two decisions, neighbours that disagree, and other folders suggest nothing', () => {
  expect(decided(['/a/x', '/new/x'], ['/a/y', '/new/y'])('/a/z')).toBeNull();
  expect(decided(['/a/x', '/b/x'], ['/a/y', '/c/y'], ['/a/z', '/d/z'])('/a/w')).toBeNull();
  expect(decided(['/a/x', '/b/x'], ['/a/y', '/b/y'], ['/a/z', '/b/z'])('/other/w')).toBeNull();
});
