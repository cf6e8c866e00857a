import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no two uses of advisory locks share a number, so that nobody waits for what is none of theirs', () => {
  const numbers = globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^const LOCK(?:_CLASS)? = (\d+);$/gm)].map((found) => found[1]),
  );
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers).toEqual([...new Set(numbers)]);
});
