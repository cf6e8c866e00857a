import { DrizzleQueryError } from 'drizzle-orm/errors';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log/log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(createLog({}, { write: (line) => void (text += line) }));
  return text;
}

const FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'password',
  'current_password',
  'new_password',
  'secret',
];

test.each(FIELDS)('%s never reaches the log, at the top or within a request', (field) => {
  const value = { [field]: 'hunter2-hunter2' };
  const text = logged((log) => {
    log.error(value, 'top');
    log.error({ headers: value }, 'one level');
    log.error({ req: { headers: value } }, 'two levels');
    log.error({ job: { req: { headers: value } } }, 'three levels');
  });
  expect(text.match(/\[redacted\]/g)).toHaveLength(4);
  expect(text).not.toContain('hunter2');
});

test('a line is one JSON object with the level as a word and the whole error', () => {
  const line = logged((log) => log.error({ err: new Error('went wrong') }, 'flush failed'));
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    name: 'detour',
    msg: 'flush failed',
    err: { message: 'went wrong' },
  });
});

test('a healthy service is silent: information is not logged', () => {
  expect(logged((log) => log.info('started'))).toBe('');
});

test('an error is logged with its code and cause, and without what else it carries', () => {
  const cause = Object.assign(new Error('terminated'), { code: '57P01', client: { internals: 'hunter2' } });
  const line = logged((log) => log.error({ err: new Error('flush failed', { cause }) }));
  expect(JSON.parse(line)).toMatchObject({ err: { message: 'flush failed', cause: { code: '57P01' } } });
  expect(line).not.toContain('hunter2');
});

test('a failed query is logged with its statement and cause, and without its parameters and the values of the row', () => {
  const cause = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
    code: '23505',
    constraint: 'users_email',
    detail: 'Key (email)=(hunter2@example.com) already exists.',
    client: { secretKey: 'hunter2' },
  });
  const query = new DrizzleQueryError('insert into users values ($1)', ['hunter2@example.com'], cause);
  const line = logged((log) => log.error({ err: new Error('background work failed', { cause: query }) }));
  expect(JSON.parse(line)).toMatchObject({
    err: { cause: { message: 'Failed query: insert into users values ($1)', cause: { constraint: 'users_email' } } },
  });
  expect(line).not.toContain('hunter2');
});
