import { describe, expect, test } from 'vitest';
import { helpText, readCommandLine } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/run.ts';

const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), COMMANDS);

test.each(['', 'help', '--help', '-h'])('%j requests the list of commands', (line) => {
  expect(read(line)).toEqual({ kind: 'help' });
});

test('--help after a command requests its help', () => {
  expect(read('sync --help')).toEqual({ kind: 'help', name: 'sync' });
  expect(read('expectations push -h')).toEqual({ kind: 'help', name: 'expectations push' });
});

test('parses options and arguments in any order', () => {
  expect(read('sync -w shop.example --json redirects.csv --max-delete=20% -y')).toMatchObject({
    kind: 'command',
    name: 'sync',
    words: ['redirects.csv'],
    options: { website: 'shop.example', json: true, 'max-delete': '20%', yes: true },
  });
});

test('reads - as an argument', () => {
  expect(read('diff - --format ndjson')).toMatchObject({ words: ['-'], options: { format: 'ndjson' } });
});

test.each([
  ['foo', 'unknown command "foo": use one of login, status, export'],
  ['constructor', 'unknown command "constructor"'],
  ['expectations', 'unknown command "expectations"'],
  ['sync', 'an argument is missing: detour sync FILE [options]'],
  ['sync a.csv b.csv', 'unexpected argument "b.csv": detour sync FILE'],
  ['sync a.csv --webste x', "Unknown option '--webste'"],
  ['sync a.csv --website', "'-w, --website <value>' argument missing: detour sync"],
  ['sync a.csv --website=', '--website needs a value'],
  ['sync a.csv --yes=1', "'-y, --yes' does not take an argument"],
  ['sync a.csv -w x -w y', '--website is repeated'],
  ['status more', 'unexpected argument "more"'],
])('%j is rejected: %s', (line, message) => {
  expect(() => read(line)).toThrow(message);
});

describe('the help', () => {
  test('lists every command with its arguments', () => {
    const text = helpText(COMMANDS);
    for (const name of Object.keys(COMMANDS)) expect(text).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    for (const name of 'login import export sync diff test deploy promote rollback undo status'.split(' ')) {
      expect(Object.keys(COMMANDS)).toContain(name);
    }
    expect(text).toContain('0 done, 1 failed, 2 wrong usage, 3 refused');
  });

  test.each(Object.keys(COMMANDS))('explains every option of %s', (name) => {
    const text = helpText(COMMANDS, name);
    for (const option of [...Object.keys(COMMANDS[name]?.options ?? {}), 'json', 'url', 'help']) {
      expect(text).toMatch(new RegExp(`--${option}\\b.* {2}\\S`));
    }
  });
});
