// The content of a list decides how it is read: its name and media type are unknown here.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readList, urlsOf } from './list-file.ts';

const SITEMAP =
  '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
  '<url><loc>https://a.example/x</loc></url></urlset>';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const FORMS = [
  ['a sitemap', SITEMAP],
  ['a sitemap after blank lines', `\n\n${SITEMAP.slice(SITEMAP.indexOf('<urlset'))}`],
  ['plain text', 'https://a.example/x\n'],
  ['plain text with comments and blank lines', '# pages\r\n\r\n  https://a.example/x  \r\n'],
  ['a JSON object', '{"urls": ["https://a.example/x"]}'],
  ['a JSON object over lines', '{\n  "urls": [\n    {"url": "https://a.example/x"}\n  ]\n}\n'],
  ['a JSON list', '["https://a.example/x"]'],
  ['NDJSON', '{"url":"https://a.example/x","title":null}\n\n'],
  ['NDJSON of strings', '"https://a.example/x"\n'],
  ['CSV', 'URL,Title\nhttps://a.example/x,X\n'],
  ['CSV of one column', 'url\nhttps://a.example/x'],
  ['quoted CSV with semicolons', '"Title";"Page URL"\n"a;b";"https://a.example/x"\n'],
  ['CSV with tabs and a title above', 'Internal - All\nAddress\tTitle 1\nhttps://a.example/x\tX\n'],
] as const;

describe.each(FORMS)('%s', (_name, text) => {
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE with a byte order mark', utf16be(`\ufeff${text}`)],
    ['UTF-16 LE', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE', utf16be(text)],
  ])('in %s, also as gzip', async (_encoding, bytes) => {
    expect(await urlsOf(bytes)).toEqual(['https://a.example/x']);
    expect(await urlsOf(gzipSync(bytes))).toEqual(['https://a.example/x']);
  });
});

test('an address in a plain list may have commas', async () => {
  expect(await urlsOf('/a,1.html\n/b,2.html\n')).toEqual(['/a,1.html', '/b,2.html']);
  expect(await urlsOf('/\n/b,2,3\n')).toEqual(['/', '/b,2,3']);
  expect(await urlsOf('about\nurl\n')).toEqual(['about', 'url']);
});

test('lines of a plain list are counted over every end of line', async () => {
  const { rows } = await readList('/a\r\n\n/b\r/c\n#\n/d');
  expect(rows.map(({ line, url }) => `${line} ${url}`)).toEqual(['1 /a', '3 /b', '4 /c', '6 /d']);
});

test('zero bytes are an error, a list without rows is not', async () => {
  await expect(readList('')).rejects.toMatchObject({ code: 'EMPTY_BODY' });
  await expect(readList(gzipSync(''))).rejects.toMatchObject({ code: 'EMPTY_BODY' });
  for (const text of ['\n', '\ufeff', '# nothing\n', '[]', '{"urls": []}', '<urlset></urlset>', 'url\n'])
    expect(await readList(text)).toEqual({ rows: [], invalid: [] });
});

test.each([
  ['a ZIP archive', Buffer.from('PK\u0003\u0004rest'), 'it is a ZIP archive or an Excel file'],
  ['gzip in gzip', gzipSync(gzipSync('/a\n')), 'it is packed with gzip twice'],
  ['truncated gzip', gzipSync('/a\n'.repeat(1000)).subarray(0, -9), 'the gzip data is damaged or truncated'],
  ['gzip with a damaged byte', damaged(gzipSync('/a\n/b\n')), 'the gzip data is damaged or truncated'],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x2f, 0, 0, 0]), 'the file is UTF-32'],
])('%s is an error', async (_name, bytes, message) => {
  await expect(readList(bytes)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: expect.stringContaining(message),
  });
});

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.fill(0xff, 12, 14);
  return copy;
}

test('the limit counts unpacked bytes', async () => {
  const text = '/a\n'.repeat(100_000);
  expect((await readList(gzipSync(text), text.length)).rows).toHaveLength(100_000);
  for (const body of [text, gzipSync(text)])
    await expect(readList(body, text.length - 1)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      details: 'body: at most 299,999 bytes, counted after decompression; nothing was applied, split it',
    });
});
