/** Holds the rules of src/cli/urls/sitemap/fetch-file.ts, public-address.ts and child-sitemaps.ts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFetchFile } from '../../../src/cli/urls/sitemap/fetch-file.ts';
import { kindOfAddress } from '../../../src/cli/urls/sitemap/public-address.ts';
import { readChildSitemaps } from '../../../src/cli/urls/sitemap/child-sitemaps.ts';
import { startStubApi, type StubAnswer, type StubApi } from '../../support/stub-api.ts';

let folder: string;
let site: StubApi;
let files: Record<string, StubAnswer>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-sitemap-'));
  files = {};
  site = await startStubApi(({ path }) => files[path] ?? { status: 404 });
});
afterEach(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['93.184.216.34', 'public'],
  ['2606:2800:220:1::1', 'public'],
  ['::ffff:93.184.216.34', 'public'],
  ['127.0.0.1', 'private'],
  ['::1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['192.168.1.1', 'private'],
  ['fc00::1', 'private'],
  ['64:ff9b::7f00:1', 'private'],
  ['169.254.169.254', 'never'],
  ['::ffff:169.254.169.254', 'never'],
  ['0.0.0.0', 'never'],
  ['::', 'never'],
  ['fe80::1%eth0', 'never'],
  ['localhost', 'never'],
])('%s is %s', (address, kind) => {
  expect(kindOfAddress(address)).toBe(kind);
});

describe('a download', () => {
  /** As if the user had named another host than that of the URL. */
  const fetched = (named: string, path: string) =>
    createFetchFile(new URL(named))(new URL(path, site.url), join(folder, 'x'));

  test('follows redirects and returns the last URL', async () => {
    files['/a'] = { status: 301, headers: { location: 'b' } };
    files['/b'] = { body: 'text' };
    expect((await fetched(site.url, '/a')).pathname).toBe('/b');
    expect(readFileSync(join(folder, 'x'), 'utf8')).toBe('text');
    expect(site.requests[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
  });

  test('of a public website never reaches a private address', async () => {
    await expect(fetched('http://93.184.216.34/', '/a')).rejects.toThrow('has no public address, but 127.0.0.1');
    const byName = new URL(site.url);
    byName.hostname = 'localhost';
    await expect(createFetchFile(new URL('http://93.184.216.34/'))(byName, join(folder, 'x'))).rejects.toThrow(
      /has no public address/,
    );
    expect(site.requests).toEqual([]);
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data', 'has no public address, but 169.254.169.254'],
    ['file:///etc/passwd', 'redirects to file:///etc/passwd'],
    ['/a', 'more than 5 redirects'],
  ])('a redirect to %s is refused', async (location, message) => {
    files['/a'] = { status: 302, headers: { location } };
    await expect(fetched(site.url, '/a')).rejects.toThrow(message);
  });

  test('that breaks off, is too large or has no host fails', async () => {
    files['/cut'] = { headers: { 'content-length': '100' }, breakAfter: '<urlset>' };
    await expect(fetched(site.url, '/cut')).rejects.toThrow('cannot be fetched');
    files['/large'] = { body: 'x'.repeat(65 * 1024 * 1024) };
    await expect(fetched(site.url, '/large')).rejects.toThrow('it is larger than 64 MiB');
    await expect(fetched('http://absent.invalid/', '/a')).rejects.toThrow('cannot be fetched');
  });
});

describe('an index', () => {
  const read = (content: string | Buffer) => {
    writeFileSync(join(folder, 'i'), content);
    return readChildSitemaps(join(folder, 'i'), new URL('https://a.example/sitemap.xml'));
  };
  const entry = '<sitemap><loc>\n https://a.example/1.xml?a&amp;b </loc><lastmod>2026-01-01</lastmod></sitemap>';

  test('is read, also gzipped; every other file is a list', async () => {
    const text = `<sitemapindex>${entry}</sitemapindex>`;
    const urls = [new URL('https://a.example/1.xml?a&b')];
    expect(await read(text)).toEqual(urls);
    expect(await read(gzipSync(text))).toEqual(urls);
    expect(await read('<urlset><url><loc>https://a.example/</loc></url></urlset>')).toBeUndefined();
    expect(await read('/a\n/b\n')).toBeUndefined();
    expect(await read('<urlset><!-- <sitemapindex> --></urlset>')).toBeUndefined();
  });

  test.each([
    [`<sitemapindex>${entry}`, 'ends before its end tag'],
    [`<sitemapindex>${entry.repeat(50_001)}</sitemapindex>`, 'names more than 50,000 sitemaps'],
    [
      '<sitemapindex><sitemap><loc>http://a.example/1.xml</loc></sitemap></sitemapindex>',
      'is not on https://a.example',
    ],
    ['<sitemapindex><sitemap><loc>1.xml</loc></sitemap></sitemapindex>', 'is not on https://a.example'],
  ])('%.60s is refused', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test('gzip that is damaged or unpacks without end is refused', async () => {
    await expect(read(gzipSync('x').subarray(0, 12))).rejects.toThrow('cannot be unpacked');
    await expect(read(gzipSync(Buffer.alloc(65 * 1024 * 1024)))).rejects.toThrow('cannot be unpacked');
  });
});
