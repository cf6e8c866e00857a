import { expect, test } from 'vitest';
import { validationError } from '../../src/vocabulary/error.ts';

test('the message of one broken rule names the field, because many clients show only the message', () => {
  const error = validationError([{ path: 'email', code: 'VALIDATION_ERROR', message: 'must be an e-mail address' }]);
  expect(error.message).toBe('email: must be an e-mail address');
});

test('several broken rules are all in the details, each with its field', () => {
  const error = validationError([
    { path: 'old_path', code: 'INVALID_OLD_PATH', message: 'is too long' },
    { path: 'status_code', code: 'INVALID_STATUS_CODE', message: 'must be 301' },
  ]);
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'Several fields are invalid',
    details: 'old_path: is too long; status_code: must be 301',
  });
});

test('a rule with a code of its own gives it to the whole error only where it stands alone', () => {
  const pattern = { path: 'old_path', code: 'INVALID_REGEX', message: 'is no pattern' } as const;
  const status = { path: 'status_code', code: 'INVALID_STATUS_CODE', message: 'must be 301' } as const;
  expect(validationError([pattern]).code).toBe('INVALID_REGEX');
  expect(validationError([pattern, status]).code).toBe('VALIDATION_ERROR');
});

test('an error lists 20 issues and counts the others', () => {
  const issues = Array.from({ length: 95_000 }, (_, n) => {
    return { path: `f${n}`, code: 'VALIDATION_ERROR' as const, message: 'is wrong' };
  });
  const error = validationError(issues);
  expect(error.issues).toHaveLength(20);
  expect(error.details).toMatch(/^f0: is wrong; .*; f19: is wrong; and 94,980 more$/);
});
