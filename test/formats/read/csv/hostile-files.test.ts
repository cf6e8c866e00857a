// Files made to be slow: each ends quickly, in errors with lines, and memory stays independent of the file's size.
import { closeSync, openSync, writeSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { csvFile, csvOptions, csvRow, type ReadCsv, readCsv, readPath } from './csv-file.ts';
import { physicalLines } from '../../../../src/formats/read/servers/physical-lines.ts';
import { textFile } from '../servers/read.ts';
import { longestTurnMs } from './loop-turns.ts';

const HEADER = 'old_path,new_path,notes\n';
const KIB = 1024;
const MIB = KIB * KIB;

/** Writes a file of `head`, `piece` repeated, and `tail`, without holding it in memory. */
function repeatedFile(head: string, piece: string, times: number, tail: string): string {
  const path = csvFile(head);
  const file = openSync(path, 'a');
  for (let nth = 0; nth < times; nth++) writeSync(file, piece);
  writeSync(file, tail);
  closeSync(file);
  return path;
}

describe('rows that are too large', () => {
  test('a row of 64 KiB is read, a larger one is an error row, and reading continues', async () => {
    const fits = `/a,/b,${'n'.repeat(64 * KIB - 6)}`;
    const { rows, errors } = await readCsv(`${HEADER}${fits}\n${fits}n\n/c,/d,\n`);
    expect(rows.map(({ line }) => line)).toEqual([2, 4]);
    expect(errors).toEqual([
      {
        line: 3,
        column: 'row',
        code: 'MALFORMED_ROW',
        message: 'the row is larger than 64 KiB',
        oldPath: null,
      },
    ]);
  });

  test('the size is counted in bytes of UTF-8', async () => {
    const { rows, errors } = await readCsv(`${HEADER}/a,/b,${'é'.repeat(32 * KIB)}\n/c,/d,\n`);
    expect([rows.map(({ line }) => line), errors.map(({ line }) => line)]).toEqual([[3], [2]]);
  });

  test.each(['\n', '\r\n', '\r'])('a row that is too large ends at %j wherever the file is cut', async (end) => {
    const header = `old_path,new_path${end}`;
    for (const beyond of [-1, 0, 1]) {
      const large = `/${'x'.repeat(128 * KIB - header.length - end.length - 1 + beyond)}${end}`;
      const { rows, errors } = await readCsv(`${header}${large}/c,/d${end}`);
      expect([rows.map(({ line }) => line), errors.map(({ line }) => line)]).toEqual([[3], [2]]);
    }
  });

  test('a quoted cell of many lines that is too large makes its first line an error, and the next line begins a row', async () => {
    const { rows, errors } = await readCsv(`${HEADER}/a,/b,"${'x\n'.repeat(40 * KIB)}"\n/c,/d,\n`);
    expect(errors[0]).toMatchObject({ line: 2, column: 'row', code: 'MALFORMED_ROW' });
    expect(rows.at(-1)).toEqual(csvRow(40 * KIB + 3, '/c', { newPath: '/d', notes: null }));
  });

  test('a header that is too large rejects the file', async () => {
    await expect(readCsv(`old_path,${'x'.repeat(70 * KIB)}\n/a,\n`)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file', message: 'line 1: the row is larger than 64 KiB' }],
    });
  });

  test('1,000,000 columns are one error row', async () => {
    const { rows, errors } = await readCsv(`${HEADER}${','.repeat(1_000_000)}\n/c,/d,\n`);
    expect([rows.map(({ line }) => line), errors.map(({ line, code }) => [line, code])]).toEqual([
      [3],
      [[2, 'MALFORMED_ROW']],
    ]);
  });

  test('1,000,000 columns as a header reject the file', async () => {
    await expect(readCsv('a,'.repeat(1_000_000))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('files that are too large to hold', () => {
  test.each([
    ['of one line', `${HEADER}/a,/b,`, 'x'.repeat(MIB), '\n/c,/d,\n', 3],
    ['of one quoted cell without line ends', `${HEADER}/a,/b,"`, 'x'.repeat(MIB), '"\n/c,/d,\n', 3],
    ['of zero bytes', `${HEADER}/a,/b,`, '\0'.repeat(MIB), '\n/c,/d,\n', 3],
  ])('200 MiB %s are one error row, in flat memory', async (_name, head, piece, tail, lastLine) => {
    const path = repeatedFile(head, piece, 200, tail);
    const before = process.memoryUsage().rss;
    const { rows, errors } = await readPath(path, csvOptions());
    // Garbage that is collected late on a busy machine has room; a line that is held whole has not.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
    expect(rows).toEqual([csvRow(lastLine, '/c', { newPath: '/d', notes: null })]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[2, 'MALFORMED_ROW']]);
  });

  test('100 MiB without any line end are rejected', async () => {
    const path = repeatedFile('', 'x'.repeat(MIB), 100, '');
    await expect(readPath(path, csvOptions())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file', message: 'line 1: the row is larger than 64 KiB' }],
    });
  });
});

const MAX_TURN_MS = 50;

describe('quotes made to be slow', () => {
  test.each([
    ['a quote that opens in every line', '/a,"b\n', 50_000],
    ['a quote in the middle of every line', '/a,b"c\n', 50_000],
    ['nothing but quotes', `${'"'.repeat(60_000)}\n`, 50],
    ['an odd number of them', `${'"'.repeat(60_001)}\n`, 50],
    ['cells of quotes', `${'"",'.repeat(20_000)}x\n`, 50],
    ['cells that almost close', `${'"a" '.repeat(15_000)}\n`, 50],
    ['spaces around quotes', `"a"${' '.repeat(60_000)}x\n`, 50],
    ['stray quotes 60 KiB apart', `/a,"b\n${'/c,/d\n'.repeat(10_000)}`, 20],
  ])('%s: every line is a row or an error, and the event loop is not blocked', async (_name, piece, times) => {
    const path = repeatedFile(HEADER, piece, times, '/z,/y,\n');
    let read: ReadCsv | undefined;
    let longestMs = Infinity;
    // Other work of the machine may stop one try; code that blocks is slow in each.
    for (let tries = 0; tries < 3 && longestMs >= MAX_TURN_MS; tries++) {
      longestMs = await longestTurnMs(async () => {
        read = await readPath(path, csvOptions());
      });
    }
    const { rows = [], errors = [] } = read ?? {};
    const lines = piece.split('\n').length - 1;
    expect(rows.length + errors.length).toBeGreaterThan((lines * times) / 2);
    expect(rows.at(-1)?.oldPath).toBe('/z');
    expect(longestMs).toBeLessThan(MAX_TURN_MS);
  });

  test('zero bytes inside cells reach the checks of a redirect', async () => {
    const { rows } = await readCsv(`${HEADER}/a\0b,/c,x\n`);
    expect(rows[0]?.oldPath).toBe('/a\0b');
  });

  test('a row with the control character that separates records is an error row', async () => {
    const { rows, errors } = await readCsv(`${HEADER}"/a\u001e/b",/c,\n/d\u001e,/e,\n/f,/g,"x"\n`);
    expect(rows.map(({ line }) => line)).toEqual([4]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'MALFORMED_ROW'],
      [3, 'MALFORMED_ROW'],
    ]);
  });
});

describe('rows and blank lines beyond those of the plan', () => {
  const free = csvOptions({ plan: 'free' });
  const row = '/a,/b,\n';

  test('as many rows and blank lines as the plan allows are read, the header excluded', async () => {
    const { rows } = await readPath(csvFile(HEADER + row.repeat(600) + '\n'.repeat(400)), free);
    expect(rows).toHaveLength(600);
  });

  test.each([
    ['one blank line more', `${row.repeat(600)}${'\n'.repeat(401)}`],
    ['blank lines alone', '\r\n'.repeat(100_000)],
    ['lines of spaces', '  \n'.repeat(100_000)],
    ['rows without content', ',,\n'.repeat(100_000)],
  ])('%s reject the file', async (_name, content) => {
    await expect(readPath(csvFile(HEADER + content), free)).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
  });

  test('a file that begins with blank lines is not searched to its end', async () => {
    const path = repeatedFile('', '\n'.repeat(MIB), 20, `${HEADER}/a,/b,\n`);
    await expect(readPath(path, free)).rejects.toMatchObject({
      issues: [{ path: 'file', message: 'it begins with 256 KiB of blank lines; remove them' }],
    });
  });

  test('a server file has as many blank lines as the plan has rows', async () => {
    const file = { ...(await textFile(`rewrite ^/a$ /b permanent;\n${' \n'.repeat(1_001)}`)), plan: 'free' as const };
    await expect(Array.fromAsync(physicalLines(file))).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
  });
});
