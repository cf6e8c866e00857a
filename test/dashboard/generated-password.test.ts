import { expect, test } from 'vitest';
import { generatedPassword } from '../../dashboard/src/screens/account/generated-password.ts';

test('a generated password has 20 characters, none of which is mistaken for another, and is never the same', () => {
  const made = Array.from({ length: 200 }, generatedPassword);
  expect(made.filter((password) => !/^[a-zA-Z2-9]{20}$/.test(password) || /[lIO]/.test(password))).toEqual(
    [],
  );
  expect(new Set(made).size).toBe(200);
});

test('every character of the alphabet is about as likely as every other', () => {
  const counts = new Map<string, number>();
  for (let at = 0; at < 20_000; at++)
    for (const character of generatedPassword()) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(57);
  // 400,000 characters: 7,018 of each on average, with a deviation of 83. A bare remainder of a byte would be 767 off.
  expect(Math.min(...counts.values())).toBeGreaterThan(7_018 - 6 * 83);
  expect(Math.max(...counts.values())).toBeLessThan(7_018 + 6 * 83);
});
