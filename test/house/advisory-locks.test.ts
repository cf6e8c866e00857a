import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LOCKS } from '../../src/db/advisory-lock.ts';

test('no two advisory locks share a number', () => {
  const numbers = Object.values(LOCKS);
  expect(numbers).toEqual([...new Set(numbers)]);
});

test('every file that takes an advisory lock names it by LOCKS', () => {
  const takers = globSync('src/**/*.ts').filter((file) =>
    /pg_(try_)?advisory_(xact_)?lock\(/.test(readFileSync(file, 'utf8')),
  );
  expect(takers.length).toBeGreaterThan(3);
  expect(takers.filter((file) => !/\bLOCKS\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
});
