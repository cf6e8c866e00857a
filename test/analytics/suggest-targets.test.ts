/** Targets that are suggested for unmatched paths. */
import { describe, expect, test } from 'vitest';
import { suggestTargets } from '../../src/analytics/suggest-targets.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';

function rulesTo(targets: string[]): Ruleset {
  const draft = emptyRuleset().fork();
  targets.forEach((newPath, i) => draft.add({ id: i + 1, key: `/${i}`, newPath, isRegex: false, statusCode: 301 }));
  return draft.seal();
}

const suggested = async (targets: string[], path: string): Promise<string[]> =>
  ((await suggestTargets(rulesTo(targets), [path]))[0] ?? []).map(({ newPath }) => newPath);

const SHOP = [
  '/shop/summer-sale',
  '/shop/winter-sale',
  '/shop/garden/chairs',
  '/blog/2024/how-to-paint-a-fence',
  '/about/contact',
  'https://www.example.com/help/returns-and-refunds?from=old#top',
  '/produkte/große-tische',
];

describe('suggestions', () => {
  test('a misspelt path finds the intended target first', async () => {
    expect(await suggested(SHOP, '/shop/sumer-sale')).toEqual(['/shop/summer-sale', '/shop/winter-sale']);
    expect(await suggested(SHOP, '/blog/how-to-paint-fences')).toEqual(['/blog/2024/how-to-paint-a-fence']);
  });

  test('a moved page is found by its words', async () => {
    expect(await suggested(SHOP, '/old/contact')).toEqual(['/about/contact']);
    expect(await suggested(SHOP, '/returns-refunds.html')).toEqual([
      'https://www.example.com/help/returns-and-refunds?from=old#top',
    ]);
    expect(await suggested(SHOP, '/Produkte/gro%C3%9Fe-tisch')).toEqual(['/produkte/große-tische']);
  });

  test('words of the old site that no target has do not hide a target', async () => {
    const target = '/produkte/baby/bluse/elegant-rot';
    expect(await suggested([target], '/shop/artikel/baby-bluse-elegant-rot.html')).toEqual([target]);
    const names = ['kleid', 'hose', 'jacke', 'mantel', 'rock', 'hemd', 'schal', 'weste'];
    const page = (i: number): string => `/produkte/${names[i % 8]}/${names[(i >> 3) % 8]}-nummer-${i * 7919}`;
    const many = Array.from({ length: 3_200 }, (_, i) => page(i));
    for (const i of [7, 1_500, 3_100]) {
      const old = `/shop/artikel/${names[i % 8]}-${names[(i >> 3) % 8]}-nummer-${i * 7919}.html`;
      expect((await suggested(many, old))[0]).toBe(page(i));
    }
  });

  test('are at most three different targets, most similar first, then by name', async () => {
    const targets = ['/sale/d', '/sale/c', '/sale/b', '/sale/a', '/sale/a', '/sale', '/other'];
    expect(await suggested(targets, '/sale/')).toEqual(['/sale', '/sale/a', '/sale/b']);
    expect(await suggested(targets, '/sale/b/a')).toEqual(['/sale/a', '/sale/b', '/sale']);
  });

  test('never contain the path itself, and are empty without similar targets', async () => {
    expect(await suggested(['/shop/summer-sale'], '/shop/summer-sale')).toEqual([]);
    expect(await suggested(SHOP, '/wp-login.php')).toEqual([]);
    expect(await suggested(SHOP, '/')).toEqual([]);
    expect(await suggested([], '/shop')).toEqual([]);
  });

  test('exclude targets of removed rules', async () => {
    const draft = rulesTo(SHOP).fork();
    draft.remove('/0');
    const [found] = await suggestTargets(draft.seal(), ['/shop/sumer-sale']);
    expect(found?.map(({ newPath }) => newPath)).toEqual(['/shop/winter-sale']);
  });

  test('find the best of 100,000 targets for 100 paths without blocking the event loop', async () => {
    const targets = Array.from({ length: 100_000 }, (_, i) => `/en/catalogue/chapter-${i % 97}/article-${i * 7919}`);
    const paths = Array.from({ length: 100 }, (_, i) => `/catalog/article-${i * 1_000 * 7919}.html`);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const found = await suggestTargets(rulesTo(targets), paths);
    clearInterval(timer);
    const hits = found.filter((each, i) => each.some(({ newPath }) => newPath === targets[i * 1_000]));
    expect(hits.length).toBeGreaterThan(95);
    expect(turns).toBeGreaterThan(10);
  });

  test('do not block the event loop with long paths and long targets', async () => {
    const long = (i: number): string => `/${`${i * 7919}x`.repeat(400).slice(0, 2_000)}`;
    const rules = rulesTo(Array.from({ length: 3_000 }, (_, i) => long(i)));
    const paths = Array.from({ length: 1_000 }, (_, i) => long(i + 3_000));
    const { longest } = await measured(() => suggestTargets(rules, paths));
    expect(longest).toBeLessThan(60);
  });

  test('are fast and still find the most similar targets if every target resembles every path', async () => {
    const page = (i: number): string => `/products/category/item-${i}`;
    const rules = rulesTo(Array.from({ length: 20_000 }, (_, i) => page(i)));
    const paths = Array.from({ length: 200 }, (_, i) => `/products/category/itm-${i * 97 + 345}`);
    const { result, cpu } = await measured(() => suggestTargets(rules, paths));
    expect(cpu).toBeLessThan(1_000);
    const right = result.filter((found, i) => found.some(({ newPath }) => newPath === page(i * 97 + 345)));
    expect(right.length).toBeGreaterThan(190);
  });
});

/** CPU time of this thread in milliseconds: total, and the longest between two turns of the event loop. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; cpu: number; longest: number }> {
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const began = worked();
  let [before, longest, isDone] = [began, 0, false];
  const turn = (): void => {
    longest = Math.max(longest, worked() - before);
    before = worked();
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  isDone = true;
  return { result, cpu: worked() - began, longest: Math.max(longest, worked() - before) };
}
