/** Holds the rules of src/suggestions/words.ts, spelling.ts, page-words.ts and trigrams.ts. */
import { describe, expect, test } from 'vitest';
import { urlParts } from '../../src/suggestions/page-words.ts';
import { differencesOf, spellingHash, toAscii } from '../../src/suggestions/spelling.ts';
import { trigramSimilarity, trigramsOf } from '../../src/suggestions/trigrams.ts';
import { stemOf, wordsOf } from '../../src/suggestions/words.ts';

describe('words', () => {
  test('are stems, and the parts of compounds', () => {
    expect(wordsOf('Charging batteries')).toEqual(['Charging', 'batteries'].map(stemOf));
    expect(stemOf('Battery')).toBe(stemOf('batteries'));
    expect(wordsOf('nsIEventItem')).toEqual(expect.arrayContaining([stemOf('event'), 'item']));
    expect(wordsOf('report2010')).toEqual(['report2010', 'report', '2010']);
  });

  test('with digits keep their end, because they identify', () => {
    expect(stemOf('KB4012s')).toBe('kb4012s');
  });

  test('of a long text are bounded', () => {
    expect(wordsOf('word '.repeat(1_000)).length).toBeLessThan(60);
    expect(stemOf('9'.repeat(2_000)).length).toBeLessThan(60);
  });
});

describe('parts of a URL', () => {
  test.each([
    ['/a/API-change_rules', 'apichangerules', ''],
    ['/d/report.pdf.pdf', 'report', 'pdf'],
    ['/a/b/index.html', 'b', ''],
    ['/a/GFDRR_20comments.pdf', 'gfdrrcomments', 'pdf'],
    ['/a?page=1&name=press', 'a1press', ''],
    ['/', '', ''],
  ])('%s', (url, key, extension) => {
    expect(urlParts(url)).toMatchObject({ key, extension });
  });

  test('a query value with a path continues the path, and the page is no document', () => {
    const { segments, key, extension } = urlParts('/publications?url=http://a.example/docs/plan-2011.pdf');
    expect([segments.slice(0, 2), key, extension]).toEqual([['publications', 'docs'], 'plan2011', '']);
  });
});

describe('spellings', () => {
  test.each([
    ['/a/', '/a', ['the final slash'], true],
    ['/A.htm', '/a', ['case', 'the extension'], true],
    ['/en-us/a', '/a', ['the language prefix'], false],
    ['/stra%C3%9Fe', '/strasse', ['percent encoding', 'transliteration'], false],
    ['/gr%C3%B6%C3%9Fe', '/groesse', ['percent encoding', 'transliteration'], false],
    ['/a_b', '/a-b', ['hyphens and other separators'], false],
  ])('%s and %s', (a, b, names, isSafe) => {
    expect(differencesOf(a, b)).toEqual({ names, isSafe });
    expect(spellingHash(a)).toBe(spellingHash(b));
  });

  test('equal paths differ by nothing, other pages are not compared', () => {
    expect(differencesOf('https://a.example/x', '/x')).toEqual({ names: [], isSafe: true });
    expect(differencesOf('/a?page=1', '/a?page=2')).toBeNull();
  });

  test('invalid escapes are spaces', () => {
    expect(toAscii('caf%C3%A9 %E9')).toBe('cafe  ');
  });
});

test('trigrams compare from 0 to 1', () => {
  const similarity = (a: string, b: string): number => trigramSimilarity(new Set(trigramsOf(a)), trigramsOf(b));
  expect(similarity('camera', 'camera')).toBe(1);
  expect(similarity('camera', 'cameras')).toBeGreaterThan(0.6);
  expect(similarity('camera', 'xyz')).toBe(0);
});
