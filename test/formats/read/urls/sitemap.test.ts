import { describe, expect, test } from 'vitest';
import { codesOf, readList, urlsOf } from './list-file.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
const sitemap = (content: string): string => `${HEAD}${content}\n</urlset>\n`;
const page = (loc: string): string => `<url><loc>${loc}</loc></url>`;

const errorOf = async (text: string | Buffer): Promise<unknown> => {
  try {
    return await readList(text);
  } catch (error) {
    return error;
  }
};

describe('pages', () => {
  test('line, white space, references and CDATA', async () => {
    const { rows, invalid } = await readList(
      sitemap(
        `<url>\n<loc>\n  https://a.example/?a=1&amp;b=&#50;&#x33;  \n</loc></url>\n${page('<![CDATA[/c?a=1&b=2]]>')}\n` +
          `${page('/d<!-- note -->/e')}${page('/ü&apos;')}`,
      ),
    );
    expect(invalid).toEqual([]);
    expect(rows).toEqual([
      { line: 4, url: 'https://a.example/?a=1&b=23', living: true },
      { line: 7, url: '/c?a=1&b=2', living: true },
      { line: 8, url: '/d/e', living: true },
      { line: 8, url: "/ü'", living: true },
    ]);
  });

  test('images, news, videos and alternates are not rows', async () => {
    const extensions =
      '<image:image><image:loc>/i.png</image:loc></image:image><xhtml:link rel="alternate" hreflang="de" href="/de"/>' +
      '<video:video><video:player_loc>/v</video:player_loc></video:video><lastmod>2026-01-01</lastmod>';
    expect(
      await urlsOf(sitemap(`<url>${extensions}<loc>/a</loc>${extensions}</url><other><loc>/b</loc></other>`)),
    ).toEqual(['/a']);
  });

  test('a namespace prefix of the root is that of its elements', async () => {
    expect(await urlsOf('<s:urlset><s:url><s:loc>/a</s:loc></s:url></s:urlset>')).toEqual(['/a']);
  });

  test.each([
    ['an entity that XML does not define', page('/a&nbsp;b'), '3 MALFORMED_ROW'],
    ['a bare &', page('/a?b=1&c=2'), '3 MALFORMED_ROW'],
    ['a reference to no character', page('/a&#0;'), '3 MALFORMED_ROW'],
    ['a reference to a surrogate', page('/a&#xd800;'), '3 MALFORMED_ROW'],
    ['an element within', page('/a<b>c</b>'), '3 MALFORMED_ROW'],
    ['an empty address', '<url><loc/></url>', '3 MISSING_PARAMETER'],
    ['no address', '\n<url></url>', '4 MISSING_PARAMETER'],
    ['an address above 2,048 bytes', page(`/${'é'.repeat(1024)}`), '3 TOO_LONG'],
    ['an address of 10 MB', page('a'.repeat(10_000_000)), '3 TOO_LONG'],
    ['a tab', page('/a\tb'), '3 CONTROL_CHARACTER'],
  ])('%s is an invalid row', async (_name, content, expected) => {
    expect(await codesOf(sitemap(`${content}${page('/z')}`))).toEqual([expected]);
    expect((await readList(sitemap(`${content}${page('/z')}`))).rows.map(({ url }) => url)).toEqual(['/z']);
  });

  test('an address of 2,048 bytes, many of them references, is read', async () => {
    expect(await urlsOf(sitemap(page(`/${'&#x00026;'.repeat(2047)}`)))).toEqual([`/${'&'.repeat(2047)}`]);
  });
});

describe('documents that are not well-formed', () => {
  const whole = sitemap(`${page('/a')}\n<!-- c --><url><loc>/b</loc><x y="1"/></url>`).trimEnd();

  test('no beginning of a document looks complete', async () => {
    expect((await readList(whole)).rows).toHaveLength(2);
    for (let end = 1; end < whole.length; end++)
      expect(await errorOf(whole.slice(0, end)), whole.slice(0, end)).toMatchObject({ code: 'INVALID_XML' });
  });

  test.each([
    ['text after the root', `${whole}x`, 'line 5: there is text outside the root element'],
    ['a second root', `${whole}${whole.slice(whole.indexOf('<urlset'))}`, 'line 5: there is a second root element'],
    ['an unfinished tag after the root', `${whole}\n</urlset`, 'line 6: the document is truncated'],
    ['an unfinished comment after the root', `${whole}<!-- a >`, 'the document ends within a comment'],
    ['an end tag without a start tag', `${whole}</urlset>`, 'an end tag does not match its start tag'],
    ['crossed tags', sitemap('<url><loc>/a</url></loc>'), 'line 3: an end tag does not match its start tag'],
    ['text between pages', sitemap(`${page('/a')}\nhttps://a.example/b`), 'there is text between the elements'],
    [
      'text between the elements of a page',
      sitemap('<url>/a<loc>/a</loc></url>'),
      'there is text between the elements',
    ],
    ['a bare <', sitemap(page('/a< b')), 'a < is not part of a tag'],
    ['a tag without a name', sitemap(page('/a<1>')), 'a tag has no valid name'],
    ['an attribute without quotes', sitemap('<url a=b><loc>/a</loc></url>'), 'the attribute a is not quoted'],
    ['an attribute without a value', sitemap('<url a><loc>/a</loc></url>'), 'the attribute a is not quoted'],
    ['a NUL byte', sitemap(`\n\n${page('/a\0')}`), 'line 5: a control character follows'],
    ['another root', '<html><body/></html>', 'line 1: the root element is <html>; a sitemap has <urlset>'],
    ['a feed', '<rss version="2.0"><channel/></rss>', 'the root element is <rss>'],
    ['invalid UTF-8', Buffer.from(sitemap(page('/\u00fc')), 'latin1'), 'is not valid UTF-8 or UTF-16'],
    ['a lone surrogate in UTF-16', Buffer.from(`\ufeff${sitemap(page('/\ud800'))}`, 'utf16le'), 'is not valid UTF-8'],
    ['11 levels', '<urlset><url><a><a><a><a><a><a><a><a><a>', 'line 1: elements are nested deeper than 10'],
    ['nesting a million deep', `<urlset>${'<a>'.repeat(1_000_000)}`, 'line 1: elements are nested deeper than 10'],
    ['a tag of 3 MB', `<urlset ${'a'.repeat(3_000_000)}>`, 'a tag or comment is longer than 1 MiB'],
    ['an attribute of 3 MB', `<urlset a="${'a'.repeat(3_000_000)}">`, 'a tag or comment is longer than 1 MiB'],
    ['a comment of 3 MB', `<urlset><!--${'a'.repeat(3_000_000)}-->`, 'a tag or comment is longer than 1 MiB'],
    [
      'a CDATA section of 3 MB',
      sitemap(page(`<![CDATA[${'a'.repeat(3e6)}]]>`)),
      'a tag or comment is longer than 1 MiB',
    ],
  ])('%s', async (_name, text, message) => {
    expect(await errorOf(text)).toMatchObject({ code: 'INVALID_XML', details: expect.stringContaining(message) });
  });

  test('the line of an error far into a large document', async () => {
    const pages = `${page('/a')}\n`.repeat(20_000);
    expect(await errorOf(sitemap(`${pages}</x>\n${pages}`))).toMatchObject({
      details: expect.stringMatching(/^body: line 20003: /),
    });
  });
});

test.each([
  '<!DOCTYPE urlset>',
  '<!doctype html>',
  '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;&b;&b;&b;&b;&b;">]>',
  '<!DOCTYPE a SYSTEM "file:///etc/passwd">',
])('%s is not allowed', async (doctype) => {
  expect(await errorOf(`<?xml version="1.0"?>\n${doctype}<urlset>${page('&d;')}</urlset>`)).toMatchObject({
    code: 'DTD_NOT_ALLOWED',
    details: 'body: line 2: remove the DOCTYPE from the sitemap',
  });
});

test('a sitemap index names the uploads', async () => {
  const index = '<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>';
  expect(await errorOf(index)).toMatchObject({
    code: 'SITEMAP_INDEX',
    details: expect.stringContaining('urls/uploads'),
  });
});

test('only UTF-8 and UTF-16 may be declared', async () => {
  const declaring = (encoding: string): string =>
    `<?xml version='1.0' encoding='${encoding}'?><urlset>${page('/a')}</urlset>`;
  for (const encoding of ['utf-8', 'UTF-16', 'us-ascii']) expect(await urlsOf(declaring(encoding))).toEqual(['/a']);
  for (const encoding of ['ISO-8859-1', 'windows-1252', 'utf-7', ''])
    expect(await errorOf(declaring(encoding))).toMatchObject({
      code: 'INVALID_XML',
      details: `body: line 1: the encoding "${encoding}" is declared; save the sitemap as UTF-8`,
    });
});
