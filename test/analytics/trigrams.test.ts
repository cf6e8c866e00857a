import { describe, expect, test } from 'vitest';
import { collectTrigrams, HASH_BITS, similarityOf, trigramsOf, wordsOf } from '../../src/analytics/trigrams.ts';

describe('similarity', () => {
  test('equals that of pg_trgm', () => {
    const of = (a: string, b: string) => similarityOf(trigramsOf(wordsOf(a)), trigramsOf(wordsOf(b)));
    // select similarity('word', 'two words') is 0.36363637 there.
    expect(of('/word', '/two-words')).toBeCloseTo(4 / 11, 6);
    expect(of('/a/b', '/b/a')).toBe(1);
    expect(of('/abc', '/xyz')).toBe(0);
    expect(of('/', '/')).toBe(0);
  });

  test('ignores case, escapes, query, fragment and host', () => {
    const same = ['/Über/uns', '/%C3%BCber/uns', '/über/UNS?a=bcd#efg', 'https://example.com/über/uns'];
    expect(new Set(same.map((path) => [...trigramsOf(wordsOf(path))].sort().join())).size).toBe(1);
    expect(wordsOf('/50%-off/%zz')).toBe('/50%-off/%zz');
  });
});

describe('collectTrigrams', () => {
  const all = new Uint8Array(2 ** HASH_BITS).fill(1);

  test.each(['/', '/shop/Summer-Sale', '/a--b/c.html?x=1', 'plain', '/A/a/A'])(
    'finds the trigrams of %s that trigramsOf finds',
    (target) => {
      const found: number[] = [];
      expect(collectTrigrams(target, all, found)).toBe(true);
      const expected = target.includes('?') ? trigramsOf(target.toLowerCase()) : trigramsOf(wordsOf(target));
      expect(new Set(found)).toEqual(expected);
    },
  );

  test('finds only wanted trigrams', () => {
    const wanted = new Uint8Array(2 ** HASH_BITS);
    const [hash = 0] = trigramsOf('shop');
    wanted[hash] = 1;
    const found: number[] = [];
    collectTrigrams('/shop/other', wanted, found);
    expect(found).toEqual([hash]);
  });

  test.each(['/%C3%BCber', '/über'])('does not support %s', (target) =>
    expect(collectTrigrams(target, all, [])).toBe(false),
  );
});
