import { expect, test } from 'vitest';
import { offsetOf, type Page, pageOf, references, reserve, take } from '../../../src/resolver/literals/arena.ts';

const allocate = (pages: Page[], owner: number, size: number): number => take(pages, reserve(pages, owner, size), size);

test('entries follow each other, never cross a page, and are listed in writing order', () => {
  const pages: Page[] = [];
  const sizes = Array.from({ length: 500 }, (_, i) => 1 + ((i * 7_919) % 9_000));
  const allocated = sizes.map((size) => allocate(pages, 1, size));
  expect(pages.length).toBeGreaterThan(2);
  for (const [i, reference] of allocated.entries()) {
    const page = pages[pageOf(reference)];
    expect(offsetOf(reference) + (sizes[i] ?? 0)).toBeLessThanOrEqual(page?.used ?? 0);
  }
  const sizeOf = new Map(allocated.map((reference, i) => [reference, sizes[i] ?? 0]));
  expect([...references(pages, (reference) => sizeOf.get(reference) ?? 0)]).toEqual(allocated);
  expect(allocated).not.toContain(0);
});

test('an entry that no page can hold is an error', () => {
  expect(() => allocate([], 1, 2 ** 20)).toThrow('larger than a page');
});
