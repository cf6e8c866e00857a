import { expect, test } from 'vitest';
import { errorSummary } from '../../../src/platform/log/error-summary.ts';

const coded = (message: string, fields: Record<string, string>) => Object.assign(new Error(message), fields);

test.each([
  ['EADDRINUSE', 'listen', 'PORT'],
  ['EACCES', 'listen', 'PORT'],
  ['EADDRNOTAVAIL', 'listen', 'HOST'],
  ['ECONNREFUSED', 'connect', 'DATABASE_URL'],
])('%s on %s tells to look at %s', (code, syscall, variable) => {
  const line = errorSummary(coded(`${syscall} ${code} 127.0.0.1:3000`, { code, syscall }));
  expect(line).toMatch(new RegExp(`^${syscall} ${code} 127.0.0.1:3000: .*${variable}`));
});

test('a missing table is reported as a missing migration, without the query', () => {
  const cause = coded('relation "accounts" does not exist', { code: '42P01' });
  const line = errorSummary(new Error('Failed query: select ... params: secret', { cause }));
  expect(line).toMatch(/^relation "accounts" does not exist: .*npm run admin -- migrate$/);
});

test('a connection tried over two addresses tells why the first failed', () => {
  const refused = coded('connect ECONNREFUSED ::1:5432', { code: 'ECONNREFUSED', syscall: 'connect' });
  expect(errorSummary(new AggregateError([refused, refused]))).toMatch(
    /^connect ECONNREFUSED ::1:5432: check DATABASE_URL/,
  );
});

test('a refusal carries its details, and several lines become one', () => {
  expect(errorSummary(coded('User not found', { details: 'There is no user a@b' }))).toBe(
    'User not found (There is no user a@b)',
  );
  expect(errorSummary(new Error('first\n  second'))).toBe('first; second');
  expect(errorSummary('no error at all')).toBe('no error at all');
});
