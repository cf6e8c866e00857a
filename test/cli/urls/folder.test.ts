/**
 * Folders as generators build them. Holds the rules of src/cli/urls/folder/read-folder.ts, read-page.ts, page-url.ts,
 * links.ts, walk-folder.ts.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLinkCollector } from '../../../src/cli/urls/folder/links.ts';
import { baseOf, type Place } from '../../../src/cli/urls/folder/page-url.ts';
import { readFolder } from '../../../src/cli/urls/folder/read-folder.ts';

const SITES = join(import.meta.dirname, '../../fixtures/sites');
const HOSTS = new Set(['docs.example.com', 'www.example.com']);

let folder: string;
let notes: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-folder-'));
  notes = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The rows and the broken links of a folder. */
async function read(root: string, { base = '/', cleanUrls = false }: { base?: string; cleanUrls?: boolean } = {}) {
  const place: Place = { base: baseOf(base), cleanUrls, hosts: HOSTS };
  const links = createLinkCollector(place);
  const rows: Record<string, unknown>[] = [];
  for await (const line of readFolder({ root, place, links, note: (text) => notes.push(text) })) {
    rows.push(JSON.parse(line) as Record<string, unknown>);
  }
  const broken = await links.findBroken(root);
  const placeOf = ({ target, file, line }: { target: string; file: string; line: number }): string =>
    `${file}:${line} ${target}`;
  return { rows, links: broken.links.map(placeOf), anchors: broken.anchors.map(placeOf) };
}

/** Writes pages: by file, the inside of their head and body. */
function write(pages: Record<string, string>): void {
  for (const [file, content] of Object.entries(pages)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
}

describe('the folder of a generator', () => {
  test('Hugo: folders with a slash, an alias is another page', async () => {
    const { rows, links, anchors } = await read(join(SITES, 'hugo'));
    expect(rows).toEqual([
      { url: '/guides/', title: 'Guides · Acme', headline: 'Guides' },
      {
        url: '/guides/install/',
        title: 'Install · Acme',
        description: 'How to install Acme.',
        headline: 'Install',
      },
      { url: '/guides/options/', title: 'Options · Acme', headline: 'Options' },
      { url: '/', title: 'Acme', headline: 'Welcome' },
      {
        url: '/setup/',
        canonical: 'https://docs.example.com/guides/install/',
        title: 'https://docs.example.com/guides/install/',
        noindex: true,
      },
    ]);
    expect(links).toEqual(['guides/install/index.html:12 /absent/']);
    expect(anchors).toEqual(['guides/install/index.html:12 /guides/options/#size']);
  });

  test('Docusaurus: the canonical has no slash; redirect pages and unlisted pages are not living', async () => {
    const { rows, links, anchors } = await read(join(SITES, 'docusaurus'));
    expect(rows.map(({ url, noindex, canonical, headline }) => ({ url, noindex, canonical, headline }))).toEqual([
      { url: '/docs/draft', noindex: true, headline: 'Draft' },
      { url: '/docs/install', headline: 'Install' },
      { url: '/docs/options', headline: 'Options' },
      { url: '/docs/setup/', canonical: '/docs/install' },
      { url: '/', headline: 'Welcome' },
    ]);
    expect(links).toEqual(['docs/install/index.html:11 /docs/absent']);
    expect(anchors).toEqual(['docs/install/index.html:11 /docs/options#size']);
  });

  test('MkDocs: a headline has no sign of a permalink', async () => {
    const { rows, links, anchors } = await read(join(SITES, 'mkdocs'));
    expect(rows.map(({ url, headline }) => [url, headline])).toEqual([
      ['/guides/install/', 'Install'],
      ['/guides/options/', 'Options'],
      ['/', 'Welcome'],
    ]);
    expect(links).toEqual([expect.stringMatching(/^guides\/install\/index.html:\d+ \/guides\/install\/absent.md$/)]);
    expect(anchors).toEqual([expect.stringContaining('/guides/options/#size')]);
  });

  test('Sphinx: pages end in .html, the start page is the folder', async () => {
    const { rows, links, anchors } = await read(join(SITES, 'sphinx'));
    expect(rows).toEqual([
      { url: '/genindex.html', title: 'Index — Acme documentation', headline: 'Index' },
      { url: '/guides/install.html', title: 'Install — Acme documentation', headline: 'Install' },
      { url: '/guides/options.html', title: 'Options — Acme documentation', headline: 'Options' },
      expect.objectContaining({ url: '/', description: 'The documentation of Acme.' }),
    ]);
    expect(links).toEqual([expect.stringMatching(/^guides\/install.html:\d+ \/guides\/absent.html$/)]);
    expect(anchors).toEqual([expect.stringContaining('/guides/options.html#size')]);
  });

  test('Next.js: a route that redirects and one without index are not living', async () => {
    const { rows, links, anchors } = await read(join(SITES, 'next'), { cleanUrls: true });
    expect(rows.map(({ url, noindex = false, title }) => ({ url, noindex, title }))).toEqual([
      { url: '/about', noindex: false, title: 'About | Acme' },
      { url: '/hidden', noindex: true, title: 'Hidden | Acme' },
      { url: '/', noindex: false, title: 'Acme' },
      { url: '/old', noindex: true, title: 'Acme' },
    ]);
    expect(links).toEqual(['index.html:1 /absent']);
    expect(anchors).toEqual(['about.html:1 /about#press']);
  });
});

describe('a folder', () => {
  test('is read in the order of names, without hidden files, error pages and assets', async () => {
    const page = '<title>A</title>';
    write({ 'b.html': page, 'a/index.htm': page, '.git/x.html': page, 'node_modules/x/x.html': page });
    write({ '404.html': page, 'fr/404/index.html': page, 'a.css': '', 'a.PDF': '', 'feed.xml': '' });
    expect((await read(folder)).rows).toEqual([
      { url: '/a/', title: 'A' },
      { url: '/a.PDF' },
      { url: '/b.html', title: 'A' },
    ]);
  });

  test('symbolic links inside are followed, those that lead out or around are named', async () => {
    write({ 'v1/index.html': '' });
    symlinkSync('v1', join(folder, 'latest'));
    symlinkSync('..', join(folder, 'v1', 'up'));
    symlinkSync(SITES, join(folder, 'out'));
    symlinkSync('absent', join(folder, 'void'));
    expect((await read(folder)).rows).toEqual([{ url: '/latest/' }, { url: '/v1/' }]);
    expect(notes.map((note) => note.split(':')[0])).toEqual(['latest/up', 'out', 'v1/up', 'void']);
  });

  test('names become valid URLs below --base', async () => {
    write({ 'a b#c?d%/é.html': '', 'index.html': '' });
    const { rows } = await read(folder, { base: 'https://docs.example.com/x', cleanUrls: true });
    expect(rows.map(({ url }) => url)).toEqual([
      'https://docs.example.com/x/a%20b%23c%3Fd%25/%C3%A9',
      'https://docs.example.com/x/',
    ]);
  });

  test('without a page it is an error, not an empty list', async () => {
    write({ 'a.pdf': '' });
    await expect(read(folder)).rejects.toThrow('has no HTML page: build the website first');
  });

  test.each(['docs', '//x.example/', 'https://x.example/?a', 'ftp://x.example/'])('--base %s is refused', (base) => {
    expect(() => baseOf(base)).toThrow('--base must be a path such as /docs/');
  });
});

describe('a page', () => {
  const only = async (html: string) => {
    write({ 'a.html': html });
    return (await read(folder)).rows[0];
  };

  test.each([
    ['<meta name="ROBOTS" content="NOINDEX,follow">', { url: '/a.html', noindex: true }],
    ['<meta name="googlebot" content="none">', { url: '/a.html', noindex: true }],
    ['<link rel="nofollow Canonical" href="/b">', { url: '/a.html', canonical: '/b' }],
    ['<link rel=canonical href=" https://DOCS.example.com/a ">', { url: '/a' }],
    [
      '<link rel=canonical href="http://other.example/a.html">',
      { url: '/a.html', canonical: 'http://other.example/a.html' },
    ],
    ['<link rel=canonical href="/a.html?page=2">', { url: '/a.html', canonical: '/a.html?page=2' }],
    [
      '<base href="/x/"><meta http-equiv="Refresh" content="3;URL=\'b.html\'">',
      { url: '/a.html', canonical: '/x/b.html' },
    ],
    ['<meta http-equiv=refresh content="300">', { url: '/a.html' }],
    ['<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript>', { url: '/a.html' }],
    ['<svg><title>Icon</title></svg><title> A &amp;\n B </title>', { url: '/a.html', title: 'A & B' }],
    ['<h1>One <b>two</b></h1><h1>Three</h1>', { url: '/a.html', headline: 'One two' }],
    ['<!-- <title>No</title> --><script>"<h1>No</h1>"</script>', { url: '/a.html' }],
  ])('%s', async (html, row) => {
    expect(await only(html)).toEqual(row);
  });

  test('lines and targets of links are exact, also across chunks', async () => {
    const filler = `<p>${'x'.repeat(50)}</p>\n`.repeat(3_000);
    write({
      'a.html': `${filler}<a\n href="/no">x</a><a href="b.html#y">\n<a href="?q#top">`,
      'b.html': '<a name=z id=y>',
    });
    write({
      'c.html': '<base href="/d/">\n<a href="e"><a href="//other.example/"><a href="mailto:x"><area href="/no">',
    });
    const { links, anchors } = await read(folder);
    expect({ links, anchors }).toEqual({ links: ['a.html:3001 /no', 'c.html:2 /d/e'], anchors: [] });
  });
});
