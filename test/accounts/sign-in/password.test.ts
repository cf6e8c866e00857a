import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, test } from 'vitest';
import {
  generatePassword,
  hashPassword,
  passwordIssue,
  verifyPassword,
} from '../../../src/accounts/sign-in/password.ts';

test('a hash is an argon2id PHC string with OWASP cost and a random salt', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(two).not.toBe(one);
});

test('the password that was hashed verifies, another does not', async () => {
  const stored = await hashPassword('correct horse');
  expect(await verifyPassword('correct horse', stored)).toBe(true);
  expect(await verifyPassword('correct horsf', stored)).toBe(false);
  expect(await verifyPassword('', stored)).toBe(false);
});

test('a hash of another cost still verifies', async () => {
  // The reference implementation's own vector: password, somesalt, m = 64 MiB, t = 2, p = 1.
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await verifyPassword('password', stored)).toBe(true);
  expect(await verifyPassword('passwort', stored)).toBe(false);
});

test('a password typed in another Unicode composition is the same password', async () => {
  const stored = await hashPassword('caf\u00e9 au lait');
  expect(await verifyPassword('cafe\u0301 au lait', stored)).toBe(true);
});

test('verification for an unknown user is false and does the same work', async () => {
  const stored = await hashPassword('correct horse');
  const timed = async (hash: string | undefined): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < 5; i++) await verifyPassword('correct horse', hash);
    return performance.now() - start;
  };
  expect(await verifyPassword('correct horse', undefined)).toBe(false);
  const [known, unknown] = [await timed(stored), await timed(undefined)];
  expect(unknown).toBeGreaterThan(known / 3);
});

test('many concurrent verifications all finish', async () => {
  const stored = await hashPassword('correct horse');
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, i) => verifyPassword(i % 2 ? 'correct horse' : 'wrong', stored)),
  );
  expect(results.filter(Boolean)).toHaveLength(6);
});

test('a stored string that is not an argon2id hash throws', async () => {
  await expect(verifyPassword('x', '$2b$10$abcdefghijklmnopqrstuv')).rejects.toThrow('argon2id');
});

describe('length', () => {
  test.each([
    ['x'.padEnd(9, 'ab'), false],
    ['x'.padEnd(10, 'ab'), true],
    [`x${'\u{1f600}'.repeat(8)}`, false],
    [`x${'\u{1f600}'.repeat(9)}`, true],
    ['x'.padEnd(1_024, 'ab'), true],
    ['x'.padEnd(1_025, 'ab'), false],
  ])('%# is counted in characters', (password, isFine) => {
    expect(passwordIssue('password', password) === undefined).toBe(isFine);
  });
});

test.each(['1234567890', 'Password123', 'QWERTYUIOP', 'ｐａｓｓｗｏｒｄ１２３'])(
  'the common password %s is rejected by name',
  (password) => {
    expect(passwordIssue('password', password)?.message).toBe('is one of the most common passwords; choose another');
  },
);

test.each([
  '0123456789',
  '7890123456',
  '09876543210',
  'aaaaaaaaaa',
  'abcdefghijkl',
  'ZYXWVUTSRQ',
  '\u{1f600}'.repeat(10),
])('the sequence %s is rejected by name', (password) => {
  expect(passwordIssue('password', password)?.message).toBe('is one repeated character or a sequence; choose another');
  expect(passwordIssue('password', `${password}x7`)).toBeUndefined();
});

test('the list of common passwords has those of its source that are long enough', () => {
  const listed = dictionary['passwords-common'].filter((each) => [...each].length >= 10);
  expect(listed.length).toBeGreaterThan(1_000);
  expect(listed.filter((each) => !passwordIssue('password', each)?.message.includes('most common'))).toEqual([]);
});

test('a generated password is long, valid and never the same', () => {
  const made = new Set(Array.from({ length: 50 }, generatePassword));
  expect(made.size).toBe(50);
  for (const password of made) expect(password).toMatch(/^[a-zA-Z2-9]{20}$/);
});
