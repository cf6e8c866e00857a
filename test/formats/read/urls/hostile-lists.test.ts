// Lists made to be slow or large: each ends quickly, in invalid rows or an error, in constant memory.
import { closeSync, openSync, readdirSync, readlinkSync, writeFileSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readUrlList } from '../../../../src/formats/read/urls/read-url-list.ts';
import { longestTurnMs } from '../csv/loop-turns.ts';
import { codesOf, listFile, readList, readPath } from './list-file.ts';

const MIB = 1024 * 1024;

function repeatedFile(head: string, piece: string, times: number, tail: string): string {
  const path = listFile(head);
  const file = openSync(path, 'a');
  for (let nth = 0; nth < times; nth++) writeSync(file, piece);
  writeSync(file, tail);
  closeSync(file);
  return path;
}

/** Counts the rows without keeping them. */
async function countRows(path: string): Promise<{ rows: number; invalid: number }> {
  const count = { rows: 0, invalid: 0 };
  for await (const { rows, invalid } of readUrlList(path)) {
    count.rows += rows.length;
    count.invalid += invalid.length;
  }
  return count;
}

const page = '<url><loc>https://a.example/some/page</loc></url>\n';

describe('memory', () => {
  test.each([
    ['plain text', '', '/some/path/of/a/page\n'.repeat(5_000), '', 5_000, 0],
    ['one line', '/a\n', 'x'.repeat(MIB), '\n/b\n', 0, 1],
    ['a sitemap', '<urlset>', page.repeat(2_000), '</urlset>', 2_000, 0],
    ['one address in a sitemap', `<urlset>${page}<url><loc>`, 'x'.repeat(MIB), '</loc></url></urlset>', 0, 1],
    ['CSV', 'URL,Title\n', '/some/path,Title of a page\n'.repeat(4_000), '', 4_000, 0],
    ['JSON', '["/a"', ',"/some/path/of/a/page"'.repeat(5_000), ']', 5_000, 0],
    ['NDJSON', '', '{"url":"/some/path/of/a/page"}\n'.repeat(4_000), '', 4_000, 0],
  ])('100 pieces of %s', async (_name, head, piece, tail, rows, invalid) => {
    const path = repeatedFile(head, piece, 100, tail);
    const before = process.memoryUsage().rss;
    const count = await countRows(path);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
    expect(count.rows).toBeGreaterThanOrEqual(rows * 100);
    expect(count.rows).toBeLessThanOrEqual(rows * 100 + 2);
    expect(count.invalid).toBe(invalid);
  });

  test('zeros that gzip packs a thousandfold end at the limit', async () => {
    const path = listFile('');
    writeFileSync(path, Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(MIB)))));
    const before = process.memoryUsage().rss;
    await expect(readPath(path, 200 * MIB)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      details: 'body: at most 209,715,200 bytes, counted after decompression; nothing was applied, split it',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });
});

describe('time', () => {
  test.each([
    ['empty elements', '<urlset>', '<a/>'.repeat(16_000), 50, '</urlset>'],
    ['pages without an address', '<urlset>', '<url/>'.repeat(10_000), 50, '</urlset>'],
    ['attributes', '<urlset ', 'a="" '.repeat(13_000), 50, '></urlset>'],
    ['bare ampersands', '<urlset><url><loc>', '&'.repeat(65_536), 50, '</loc></url></urlset>'],
    ['lines of one character', '', '/\n'.repeat(32_000), 50, ''],
    ['CSV of quotes', 'URL,Title\n', `/a,${'""'.repeat(30_000)}\n`, 50, ''],
    ['CSV with an unclosed quote in every line', 'URL,Title\n', '/a,"b\n'.repeat(10_000), 5, ''],
    ['JSON of brackets', '[', `${'['.repeat(30_000)}${']'.repeat(30_000)},`, 50, '"/a"]'],
  ])('%s do not block the event loop', async (_name, head, piece, times, tail) => {
    const path = repeatedFile(head, piece, times, tail);
    let longestMs = Infinity;
    // Other work of the machine may stop one try; code that blocks is slow in each.
    for (let tries = 0; tries < 3 && longestMs >= 50; tries++)
      longestMs = await longestTurnMs(async () => void (await countRows(path)));
    expect(longestMs).toBeLessThan(50);
  });
});

test('NUL bytes, lone surrogates and mixed encodings are invalid rows of a plain list', async () => {
  const latin1 = Buffer.from('/\u00fc\n', 'latin1');
  const list = Buffer.concat([Buffer.from('/a\n/b\0\n'), latin1, Buffer.from('/\u0085\n/c\n')]);
  const { rows, invalid } = await readList(list);
  expect(rows.map(({ url }) => url)).toEqual(['/a', '/c']);
  expect(invalid).toEqual([
    { line: 2, value: '/b\ufffd', code: 'CONTROL_CHARACTER' },
    { line: 3, value: '/\u00fc\ufffd', code: 'MALFORMED_ROW' },
    { line: 4, value: '/\u0085', code: 'CONTROL_CHARACTER' },
  ]);
  expect(await codesOf(Buffer.from('\ufeff/a\n/\ud800b\n/c\n', 'utf16le'))).toEqual(['2 MALFORMED_ROW']);
});

test('a reader that stops early closes the file', async () => {
  const path = repeatedFile('', '/some/path\n'.repeat(10_000), 20, '');
  for await (const { rows } of readUrlList(path)) {
    expect(rows.length).toBeGreaterThan(0);
    break;
  }
  const isOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });
  await expect.poll(isOpen).toBe(false);
});
