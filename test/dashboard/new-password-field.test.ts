import { expect, test } from 'vitest';
import { generatedPassword } from '../../dashboard/src/ui/form/new-password-field.tsx';

test('generated passwords have 20 unambiguous characters and differ', () => {
  const passwords = Array.from({ length: 200 }, generatedPassword);
  expect(passwords.filter((password) => !/^[a-zA-Z2-9]{20}$/.test(password) || /[lIO]/.test(password))).toEqual([]);
  expect(new Set(passwords).size).toBe(200);
});

test('all characters of the alphabet are about equally likely', () => {
  const counts = new Map<string, number>();
  for (let at = 0; at < 20_000; at++)
    for (const character of generatedPassword()) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(57);
  // 400,000 characters: 7,018 of each on average, standard deviation 83. A biased generator would be off by 767.
  expect(Math.min(...counts.values())).toBeGreaterThan(7_018 - 6 * 83);
  expect(Math.max(...counts.values())).toBeLessThan(7_018 + 6 * 83);
});
