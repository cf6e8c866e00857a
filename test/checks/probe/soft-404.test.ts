import { describe, expect, test } from 'vitest';
import { createFingerprint, siblingOf } from '../../../src/checks/probe/soft-404.ts';

test.each([
  ['https://a.example/shop/shoes', 'https://a.example/shop/random'],
  ['https://a.example/shop/shoes.html?size=9#top', 'https://a.example/shop/random.html'],
  ['https://a.example/shop/shoes/', 'https://a.example/shop/random/'],
  ['https://a.example/shop//', 'https://a.example/shop/random/'],
  ['https://a.example/shoes', 'https://a.example/random'],
  ['https://a.example/v1.2.3', 'https://a.example/random.3'],
  ['https://a.example/.profile', 'https://a.example/random'],
  ['http://a.example:8080/a/b%20c', 'http://a.example:8080/a/random'],
  ['https://a.example/?p=7', 'https://a.example/random'],
  ['https://a.example/', null],
])('the sibling of %s is %s', (url, sibling) => {
  expect(siblingOf(new URL(url), 'random')).toBe(sibling);
});

function fingerprint(
  address: string,
  text: string,
  contentType = 'text/html; charset=utf-8',
  chunkBytes = 1_000,
): string {
  const page = createFingerprint(new URL(address), contentType);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) page.write(bytes.subarray(at, at + chunkBytes));
  return page.end();
}

const page = (title: string, body: string) => `<!doctype html><html><head><title>${title}</title></head><body>${body}`;
const LOST = 'https://a.example/shop/blue-shoes.html?size=9';
const OTHER = 'https://a.example/shop/0123456789abcdef.html';

describe('pages are equal', () => {
  test.each([
    ['of equal text', page('Oops', '<p>Not found'), page('Oops', '<p>Not found')],
    [
      'apart from scripts, styles and attributes',
      page('', '<p class=a>x<script>1</script>'),
      page('', '<p>x<style>b</style>'),
    ],
    ['apart from spaces', page('', '<p>Not \n found</p>'), page('', '<p>Not found</p>')],
    ['apart from the whole address', page('', `<p>No ${LOST} here`), page('', `<p>No ${OTHER} here`)],
    ['apart from the path', page('', 'No /shop/blue-shoes.html!'), page('', 'No /shop/0123456789abcdef.html!')],
    ['apart from the segment', page('blue-shoes?', 'No'), page('0123456789abcdef?', 'No')],
  ])('%s', (_what, lost, other) => {
    expect(fingerprint(LOST, lost)).toBe(fingerprint(OTHER, other));
  });

  test('apart from an escaped path that the page quotes as text', () => {
    const lost = fingerprint('https://a.example/gr%C3%BC%C3%9Fe', page('', 'No /grüße'));
    expect(lost).toBe(fingerprint(OTHER, page('', 'No /shop/0123456789abcdef.html')));
  });

  test('whatever the chunks in which they arrive', () => {
    const text = page('Größe', `<p>Größe &amp; Maß<script>var a = "<p>";</script></p>`);
    const whole = fingerprint(LOST, text);
    for (const bytes of [1, 2, 3, 7]) expect(fingerprint(LOST, text, 'text/html', bytes)).toBe(whole);
  });

  test('if they are equal files of another type', () => {
    expect(fingerprint(LOST, '{"a":1}', 'application/json')).toBe(fingerprint(OTHER, '{"a":1}', 'application/json'));
  });
});

describe('pages differ', () => {
  test.each([
    ['by title', page('Blue shoes', ''), page('Red shoes', '')],
    ['by text', page('Shop', 'Blue shoes'), page('Shop', 'Red shoes')],
    ['if a word is in the title of one and in the text of the other', page('Shop', ''), page('', 'Shop')],
    ['if one is empty', page('Shop', 'a'), ''],
    ['by a short word that is a part of the address', page('', 'shop'), page('', '')],
  ])('%s', (_what, one, other) => {
    expect(fingerprint(LOST, one)).not.toBe(fingerprint(OTHER, other));
  });

  test('by the tags of a file of another type', () => {
    expect(fingerprint(LOST, '<a>', 'text/plain')).not.toBe(fingerprint(OTHER, '<b>', 'text/plain'));
  });
});
