import { expect, test } from 'vitest';
import {
  cutsOf,
  directionParts,
  sharedFolder,
  shownPath,
  storedEdit,
  storedPart,
} from '../../dashboard/src/ui/text/path-parts.ts';

test.each([
  ['/plain/path?a=1', '/plain/path?a=1'],
  ['/caf%C3%A9/%e6%97%a5', '/café/日'],
  ['/%D9%85%D9%82/2024', '/مق/2024'],
  ['/a%20b%2Fc%25%3F', '/a%20b%2Fc%25%3F'],
  ['/not-utf8/%E9/%FF', '/not-utf8/%E9/%FF'],
  // A control of direction, a blank, an invisible letter.
  ['/%E2%80%AEexe', '/%E2%80%AEexe'],
  ['/a%C2%A0b', '/a%C2%A0b'],
  ['/%E3%85%A4', '/%E3%85%A4'],
  ['/%F0%9F%98%80', '/😀'],
])('%s is shown as %s', (stored, shown) => {
  expect(shownPath(stored).text).toBe(shown);
});

test.each([
  ['/caf%c3%a9/x', '/café/x', '/caf%c3%a9/x'],
  ['/caf%c3%a9/x', '/café/new/x', '/caf%c3%a9/new/x'],
  ['/caf%c3%a9/x', '/caf/x', '/caf/x'],
  ['/%F0%9F%98%80/a', '/😁/a', '/😁/a'],
  ['/%C3%A9%C3%A9', '/é', '/%C3%A9'],
  ['/plain', '/plain/é', '/plain/é'],
])('%s that is edited to %s is stored as %s', (stored, typed, next) => {
  expect(storedEdit(stored, typed)).toBe(next);
});

test('every part of the shown text maps to the stored one', () => {
  const path = '/caf%C3%A9/x/%E6%97%A5%F0%9F%98%80';
  const shown = shownPath(path);
  expect(storedPart(shown, 0, shown.text.length)).toBe(path);
  expect(storedPart(shown, 4, 5)).toBe('%C3%A9');
  expect(storedPart(shown, 5, 8)).toBe('/x/');
  // Half of a character includes all of it.
  expect(storedPart(shown, 9, 10)).toBe('%F0%9F%98%80');
  const parts = Array.from({ length: shown.text.length }, (_, at) => storedPart(shown, 0, at));
  expect(parts.every((part) => path.startsWith(part))).toBe(true);
});

const measure = (text: string): number => text.length;
function cut(text: string, width: number, options: { isPattern?: boolean; shared?: number } = {}): string {
  const cuts = cutsOf(text, width, { measure, ...options });
  return cuts.reduceRight((shown, { begin, end }) => `${shown.slice(0, begin)}…${shown.slice(end)}`, text);
}

test.each([
  ['/fits', 5, false, '/fits'],
  [
    '/windows-hardware/drivers/whea/pshed-plug-in-operations',
    44,
    false,
    '/windows-hardware/…/pshed-plug-in-operations',
  ],
  ['/blog/(\\d{4})/(\\d{2})/([a-z0-9-]+)/(feed|print|amp)/?', 30, true, '/blog/(\\d{4})/(\\d{2}…nt|amp)/?'],
  ['https://help.acme.example/articles/return-a-product', 40, false, 'https://help.acme.example/…urn-a-product'],
])('%s in %d characters', (text, width, isPattern, expected) => {
  expect(cut(text, width, { isPattern })).toBe(expected);
});

test('a cut keeps the width, both ends and whole characters, whatever the width', () => {
  const texts = [
    '/kitchen/slim-trowel-157572',
    '/👩‍🌾/e\u0301e\u0301e\u0301e\u0301/😀😀😀😀',
    '/مقالات/تقنية/عنوان/2024',
  ];
  for (const text of texts) {
    for (let width = 6; width < text.length; width++) {
      const shown = cut(text, width);
      expect(shown.length, shown).toBeLessThanOrEqual(width);
      const [begin = '', end = ''] = shown.split('…');
      expect(text.startsWith(begin) && text.endsWith(end) && begin !== '' && end !== '', shown).toBe(true);
      expect(shown.isWellFormed() && !/^[\p{M}\u200d]/v.test(end), shown).toBe(true);
    }
  }
});

test('segments from right to left are isolated one by one', () => {
  expect(directionParts('/plain')).toEqual([{ text: '/plain', isIsolated: false }]);
  expect(directionParts('/مقال/2024/أخبار').map(({ text, isIsolated }) => (isIsolated ? `[${text}]` : text))).toEqual([
    '/',
    '[مقال]',
    '/',
    '2024',
    '/',
    '[أخبار]',
  ]);
});

test.each([
  [60, '/windows-hardware/drivers/audio/architectural-overview'],
  [40, '/…/audio/architectural-overview'],
  [31, '/…/audio/architectural-overview'],
  [26, '/…/audio/…ectural-overview'],
  [20, '/…/audio/…l-overview'],
  [13, '/…/aud…erview'],
])(
  'in %d characters, the folder that other paths share is hidden first, then the middle of the rest',
  (width, expected) => {
    const text = '/windows-hardware/drivers/audio/architectural-overview';
    expect(cut(text, width, { shared: '/windows-hardware/drivers/'.length })).toBe(expected);
  },
);

test('the shared folder is that of most paths', () => {
  const paths = Array.from({ length: 20 }, (_, at) => `/docs/v1/page-${at}`);
  expect(sharedFolder(paths)).toBe('/docs/v1/');
  expect(sharedFolder([...paths, '/about', '/zero'])).toBe('/docs/v1/');
  expect(sharedFolder(['/docs/v1', '/docs/v1/a'])).toBe('/docs/');
  expect(sharedFolder(['/a', '/b'])).toBe('/');
  expect(sharedFolder(['/docs/v1/a'])).toBe('');
});
