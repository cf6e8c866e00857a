import { expect, test } from 'vitest';
import { emailIssue, normaliseEmail } from '../../src/accounts/user.ts';

test('an email is stored trimmed and in lower case', () => {
  expect(normaliseEmail('  Jo.Doe+x@Example.COM ')).toBe('jo.doe+x@example.com');
});

test.each(['jo@example.com', 'a@localhost', 'jo.doe+tag@mail.example.co.uk', 'jö@exämple.de', "o'neil@example.com"])(
  '%s is a valid email',
  (email) => expect(emailIssue('email', email)).toBeUndefined(),
);

test.each([
  '',
  'jo',
  '@example.com',
  'jo@',
  'jo@@example.com',
  'jo@a@example.com',
  'jo doe@example.com',
  'jo@exam ple.com',
  'jo@example..com',
  'jo@.com',
  'jo@example.com\u0000',
  'jo@example.com\n',
  '"x\\"y"@b.example>\n',
  'Jo <jo@example.com>',
  'jo@[127.0.0.1]',
  'jo@example.com,',
  `${'a'.repeat(65)}@example.com`,
  `jo@${'a'.repeat(260)}.com`,
])('%j is not a valid email', (email) => {
  expect(emailIssue('email', normaliseEmail(email))).toMatchObject({ path: 'email', code: 'VALIDATION_ERROR' });
});
