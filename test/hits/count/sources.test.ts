import { describe, expect, test } from 'vitest';
import { createSourceCache, rawUtmSource, referrerName, utmSourceName } from '../../../src/hits/count/sources.ts';
import { addName, MAX_NAMES_OF_WEBSITE, mergeNames, OTHER } from '../../../src/hits/counters/source-names.ts';

describe('a referrer counts as', () => {
  test.each([
    ['https://www.Google.com/search?q=secret', 'www.google.com'],
    ['http://user:password@News.example:8080/a', 'news.example'],
    ['https://xn--bcher-kva.example.', 'xn--bcher-kva.example'],
    ['https://localhost', 'localhost'],
    ['', undefined],
    ['https://203.0.113.7/', OTHER],
    ['https://[2001:db8::1]/', OTHER],
    ['android-app://com.example.app/', OTHER],
    ['https://-bad-.example/', OTHER],
    ['https://a..example/', OTHER],
    ['https://exa mple/', OTHER],
    [`https://${'a'.repeat(254)}/`, OTHER],
    ['nonsense', OTHER],
  ])('%s: %s', (header, name) => expect(referrerName(header)).toBe(name));
});

describe('a utm_source counts as', () => {
  test.each([
    ['/a?utm_source=News+Letter', 'news letter'],
    ['/a?x=1&utm_source=Fr%C3%BChling&utm_campaign=c', 'frühling'],
    ['/a?xutm_source=no&utm_source=yes', 'yes'],
    ['/a', undefined],
    ['/utm_source=a', undefined],
    ['/a?utm_source=', undefined],
    ['/a?utm_source=+', undefined],
    [`/a?utm_source=${'x'.repeat(64)}`, 'x'.repeat(64)],
    [`/a?utm_source=${'x'.repeat(65)}`, OTHER],
    [`/a?utm_source=${'x'.repeat(60_000)}`, OTHER],
    ['/a?utm_source=%ff', OTHER],
    ['/a?utm_source=a%00b', OTHER],
    ['/a?utm_source=a%E2%80%AEb', OTHER],
    ['/a?utm_source=joe%40example.com', OTHER],
  ])('%.60s: %.70s', (url, name) => {
    const raw = rawUtmSource(url);
    expect(raw === undefined ? undefined : utmSourceName(raw)).toBe(name);
  });

  test('the cache returns the same names, also those of absent sources', () => {
    const cache = createSourceCache();
    for (let i = 0; i < 2; i++) {
      expect([cache.utmSourceName('A'), cache.utmSourceName(''), cache.referrerName('x')]).toEqual([
        'a',
        undefined,
        OTHER,
      ]);
    }
  });
});

describe('the names of a day', () => {
  test('are limited in memory and when they are merged; every hit stays counted', () => {
    const added = new Map<string, number>();
    for (let i = 0; i < 10_000; i++) addName(added, `random-${i}.example`, MAX_NAMES_OF_WEBSITE);
    expect(added.size).toBeLessThanOrEqual(MAX_NAMES_OF_WEBSITE + 1);
    let stored: Record<string, number> = { 'real.example': 7 };
    for (let batch = 0; batch < 50; batch++) {
      const names = Array.from({ length: 200 }, (_, i) => [`random-${batch}-${i}.example`, 1] as const);
      stored = mergeNames(new Map([...names, ['real.example', 2]]), stored, MAX_NAMES_OF_WEBSITE);
      expect(Object.keys(stored).length).toBeLessThanOrEqual(MAX_NAMES_OF_WEBSITE);
    }
    expect(Object.values(stored).reduce((sum, hits) => sum + hits)).toBe(7 + 50 * 202);
    expect(stored['real.example']).toBe(107);
  });

  test('may be names of object properties', () => {
    const merged = mergeNames(new Map([['__proto__', 2]]), JSON.parse('{"__proto__":1,"constructor":4}'), 40);
    expect(JSON.stringify(merged)).toBe('{"__proto__":3,"constructor":4}');
  });
});
