import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/admin/command.ts';
import { COMMANDS } from '../../src/admin/commands.ts';

const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), COMMANDS);

test.each(['', '--help', '-h', 'account create --help'])('%j requests help', (line) => {
  expect(read(line)).toBe('help');
});

test('parses a command with its flags, in any order and both spellings', () => {
  expect(read('key create --json --name=ci --email a@b.c --expires-days 3')).toEqual({
    name: 'key create',
    json: true,
    flags: { name: 'ci', email: 'a@b.c', 'expires-days': '3' },
  });
});

test('accepts a value that begins with a dash after =', () => {
  expect(read('account create --email a@b.c --plan pro --password=-secret-1234')).toMatchObject({
    json: false,
    flags: { password: '-secret-1234' },
  });
});

test.each([
  ['foo', 'unknown command "foo": use one of account create, account set-plan'],
  ['account', 'unknown command "account"'],
  ['account create now --email a', 'unknown command "account create now"'],
  ['constructor', 'unknown command "constructor"'],
  ['--json', 'unknown command ""'],
  ['account create --emial a --plan pro', "Unknown option '--emial'"],
  ['account create --plan pro', '--email is required: account create --email E --plan'],
  ['account create --email= --plan pro', '--email needs a value'],
  ['account create --email --plan pro', "'--email' argument is ambiguous: write a value that begins with a dash"],
  ['account create --email a@b.c --plan gold', '--plan must be one of free, pro, business, enterprise; it is "gold"'],
  ['account create --email a --email b --plan pro', '--email is repeated'],
  ['account set-plan --email a@b.c --plan pro more', "Unexpected argument 'more'"],
  ['user add --account-email a@b.c --email b@b.c --role admin', '--role must be one of owner, editor, viewer'],
  ['key create --email a@b.c --name x --scope admin', '--scope must be one of read, write'],
  ['key create --email a@b.c --name x --expires-days 0', '--expires-days must be a whole number from 1 to 36500'],
  ['key create --email a@b.c --name x --expires-days 1.5', '--expires-days must be a whole number'],
  ['key create --email a@b.c --name x --website shop', '--website must be the ids of websites, such as 1,2'],
  [`key create --email a@b.c --name ${'x'.repeat(201)}`, '--name must have 1 to 200 characters'],
  ['key revoke --json=yes --id k', "Option '--json' does not take an argument"],
])('%j is rejected before a database is opened', (line, message) => {
  expect(() => read(line)).toThrow(message);
});
