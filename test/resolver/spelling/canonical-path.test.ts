/** Holds the rules of src/resolver/spelling/percent.ts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  absoluteForm,
  canonicalPath,
  requestTarget,
  splitTarget,
} from '../../../src/resolver/spelling/canonical-path.ts';
import { foldPath } from '../../../src/resolver/spelling/case-fold.ts';
import { inSoak } from '../../support/soak.ts';

/** Texts with whole and broken escapes, dots, combining marks and lone surrogates. */
const hard = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '.',
        '..',
        '/./',
        '/../',
        '%',
        '%2',
        '%2e',
        '%2F',
        '%25',
        '%zz',
        '%c3',
        '%BC',
        '%C3%9C',
      ),
      fc.constantFrom(
        'é',
        'e',
        '\u0301',
        '%CC%81',
        'ü',
        '\u212a',
        '\u1fef',
        '\u0338',
        '<',
        'Σ',
        'ς',
        '\u0130',
        'ẞ',
        '\ud800',
      ),
      fc.constantFrom(
        '%ED%A0%80',
        '%F0%9F%98%80',
        '😀',
        '%C0%AF',
        '%E0%80',
        '%00',
        '\t',
        ' ',
        '[',
        '\\',
        'A',
        'z',
        '#',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

test('a canonical path is its own canonical path', () => {
  fc.assert(
    fc.property(hard, (text) => {
      const once = canonicalPath(`/${text}`);
      expect(canonicalPath(once)).toBe(once);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('a canonical path is a slash and characters that RFC 3986 allows in a path, with upper-case escapes', () => {
  fc.assert(
    fc.property(hard, (text) => {
      expect(canonicalPath(text)).toMatch(/^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('dot segments are removed, escaped or not', () => {
  fc.assert(
    fc.property(hard, (text) => {
      expect(canonicalPath(text)).not.toMatch(/\/(?:\.|%2e){1,2}(?:\/|$)/i);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('a text and its percent-encoding have the same canonical path', () => {
  const ordinary = fc.stringMatching(/^[a-zA-Z0-9äöü中é\u0301😀 "<>|^`{}[\]]{0,20}$/u);
  fc.assert(
    fc.property(ordinary, (text) => {
      expect(canonicalPath(`/${encodeURIComponent(text)}`)).toBe(canonicalPath(`/${text}`));
    }),
  );
});

test('raw bytes of a request line have the canonical path of the UTF-8 text that the client sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const path = `/${text.replaceAll(/[?%]/g, '')}`;
      const asNodeGivesIt = Buffer.from(path, 'utf8').toString('latin1');
      expect(canonicalPath(requestTarget(asNodeGivesIt))).toBe(canonicalPath(path));
    }),
  );
});

test('a request target becomes ASCII and does not change otherwise', () => {
  expect(requestTarget('/a%zz?b=\u00ff#c')).toBe('/a%zz?b=%FF#c');
  expect(requestTarget('/中')).toBe('/%E4%B8%AD');
});

test('a target splits at its first question mark, and an empty query is a query', () => {
  expect(splitTarget('/a/../b?x?y')).toEqual({ path: '/b', query: 'x?y' });
  expect(splitTarget('/a?')).toEqual({ path: '/a', query: '' });
  expect(splitTarget('/a')).toEqual({ path: '/a', query: null });
});

test('an absolute-form target has a host and a path', () => {
  expect(absoluteForm('http://Example.com:80/a?b')).toEqual({ host: 'Example.com:80', target: '/a?b' });
  expect(absoluteForm('HTTPS://user:pw@example.com')).toEqual({ host: 'example.com', target: '/' });
  expect(absoluteForm('http://example.com?x')).toEqual({ host: 'example.com', target: '/?x' });
});

test('other forms of target are not absolute', () => {
  for (const target of ['/http://example.com/', '*', 'example.com:443', '//example.com/', 'ftp://example.com/']) {
    expect(absoluteForm(target)).toBeUndefined();
  }
});

test('a fold is its own fold, and stays canonical', () => {
  fc.assert(
    fc.property(hard, (text) => {
      const folded = foldPath(canonicalPath(text));
      expect(foldPath(folded)).toBe(folded);
      expect(folded).toMatch(/^\/(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('a path and its upper case have the same fold if Unicode has single letters for it', () => {
  const letters = fc.stringMatching(/^[a-zäöüéñçøåœžšłабвгдежзикαβγδεζηθ0-9]{1,20}$/u);
  fc.assert(
    fc.property(letters, (text) => {
      expect(foldPath(canonicalPath(`/${text.toUpperCase()}`))).toBe(foldPath(canonicalPath(`/${text}`)));
    }),
  );
});

test('the most expensive path of 64 KiB takes linear time', () => {
  const started = performance.now();
  canonicalPath(`/${'%2e%2e/'.repeat(9_000)}`);
  canonicalPath(`/${'e%CC%81'.repeat(9_000)}`);
  canonicalPath(`/${'\u0301'.repeat(60_000)}`);
  expect(performance.now() - started).toBeLessThan(1_000);
});
