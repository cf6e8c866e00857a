/**
 * Suggestions on small lists of pages. Holds the rules of src/suggestions/build-candidates.ts, candidates.ts,
 * compare.ts, find-candidates.ts, model.ts, query.ts, reasons.ts and weights.ts.
 */
import { describe, expect, test } from 'vitest';
import { buildIndex } from '../../src/suggestions/build-candidates.ts';
import { learnNeighbours } from '../../src/suggestions/neighbours.ts';
import type { Page } from '../../src/suggestions/page-words.ts';
import { suggestFor, type SuggestOptions } from '../../src/suggestions/suggest.ts';

const GUIDES = ['printing-photos', 'cleaning-lenses', 'charging-batteries', 'replacing-straps', 'updating-firmware'];
const MODELS = ['kb4012', 'kb4013', 'kb4025', 'kb5100'];
const SITE: Page[] = [
  '/',
  '/help',
  '/help/contact',
  ...GUIDES.map((name) => `/help/guides/${name}`),
  ...MODELS.map((name) => `/support/articles/${name}-release-notes`),
  '/news/new-lens-for-portraits',
  '/news/new-lens-for-portraits-2',
  '/shop/cameras/mirrorless',
  '/shop/cameras/compact',
].map((url) => ({ url }));

async function suggest(page: Page, pages = SITE, options: SuggestOptions = {}) {
  return suggestFor(await buildIndex(pages), page, options);
}

describe('a page', () => {
  test('that lives is kept', async () => {
    expect(await suggest({ url: '/help/contact' })).toEqual({
      suggested: 'keep',
      confidence: 'sure',
      reasons: ['the page is living'],
      suggestions: [],
    });
  });

  test.each([
    ['/Help/Contact/', 'same path except for the final slash, case'],
    ['/help/contact.html', 'same path except for the extension'],
    ['/help/index.php', 'same path except for the extension, the index page'],
    ['/help/cont%61ct', 'same path except for percent encoding'],
  ])('of another spelling is sure: %s', async (url, reason) => {
    const { suggested, confidence, reasons } = await suggest({ url });
    expect([suggested, confidence, reasons[0]]).toEqual(['redirect', 'sure', reason]);
  });

  test('below another language prefix is likely, never sure', async () => {
    const { confidence, suggestions } = await suggest({ url: '/de/help/contact' });
    expect([confidence, suggestions[0]?.target]).toEqual(['likely', '/help/contact']);
  });

  test.each(['/help/contcat', '/help/cntact', '/help/contactt', '/help/kontact', '/Help/Contavt.html'])(
    'with a typo in its name is a guess: %s',
    async (url) => {
      const { confidence, suggestions } = await suggest({ url });
      expect([confidence, suggestions[0]?.target]).toEqual(['guess', '/help/contact']);
      expect(suggestions[0]?.reasons[0]).toBe('same path except for one letter');
    },
  );

  test.each(['/news/cart', '/shop/conyact', '/help/kb4099', '/help/stairs'])(
    'is not the one of a short name, another folder or another number, or one of two: %s',
    async (url) => {
      const pages = ['/news/card', '/help/contact', '/help/kb4098', '/help/stair', '/help/stairz', '/about'];
      const { suggestions } = await suggest(
        { url },
        pages.map((page) => ({ url: page })),
      );
      expect(suggestions[0]?.reasons ?? []).not.toContain('same path except for one letter');
    },
  );

  test('with its name in another folder is found, with its words', async () => {
    const { suggested, confidence, suggestions } = await suggest({ url: '/docs/en/replacing_straps' });
    expect([suggested, suggestions[0]?.target]).toEqual(['redirect', '/help/guides/replacing-straps']);
    expect(['likely', 'sure']).toContain(confidence);
    expect(suggestions[0]?.reasons).toContain('same name at the end of the path');
    expect(suggestions[0]?.reasons.join()).toMatch(/words in common: .*straps/);
  });

  test('differs from others by an identifier that one candidate has', async () => {
    const { suggestions } = await suggest({ url: '/kb/article-kb4013' });
    expect(suggestions[0]?.target).toBe('/support/articles/kb4013-release-notes');
    expect(suggestions[0]?.reasons).toContain('both have kb4013, and no other candidate has it');
  });

  test('without a near candidate is suggested as gone, at most as a guess', async () => {
    const { suggested, confidence, reasons } = await suggest({ url: '/jobs/apprenticeships' });
    expect([suggested, confidence, reasons]).toEqual(['gone', 'guess', ['no candidate is near']]);
  });

  test('whose own target is missing is neither sure nor likely', async () => {
    const pages = SITE.filter(({ url }) => !url.includes('charging'));
    const { confidence } = await suggest({ url: '/docs/charging-batteries' }, pages);
    expect(['guess', null]).toContain(confidence);
  });

  test('that two candidates fit is never sure, and the reasons say so', async () => {
    const { confidence, reasons } = await suggest({ url: '/press/new-lens-for-portraits' });
    expect(confidence).not.toBe('sure');
    expect(reasons).toContain('1 other candidates have the same name');
  });

  test('finds its target by its title', async () => {
    const pages = SITE.map((page) =>
      page.url === '/shop/cameras/compact' ? { ...page, title: 'Pocket cameras for hiking' } : page,
    );
    const { suggestions } = await suggest({ url: '/p/3351', title: 'Pocket cameras for hiking' }, pages);
    expect(suggestions[0]).toMatchObject({ target: '/shop/cameras/compact' });
    expect(suggestions[0]?.reasons).toContain('same title');
  });
});

describe('suggestions', () => {
  test('are at most ten, best first, with scores from 0 to 1', async () => {
    const pages = Array.from({ length: 50 }, (_, i) => ({ url: `/news/harbour-report-${i}` }));
    const scores = (await suggest({ url: '/old/harbour-report' }, pages)).suggestions.map(({ score }) => score);
    expect(scores).toHaveLength(10);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
  });

  test('are the same at each call', async () => {
    const index = await buildIndex(SITE);
    const page = { url: '/docs/cleaning-the-lenses' };
    expect(suggestFor(index, page)).toEqual(suggestFor(index, page));
  });

  test('for another website lead to its URLs, even of equal paths', async () => {
    const { suggested, suggestions } = await suggest({ url: '/help' }, [{ url: 'https://new.example/help' }]);
    expect([suggested, suggestions[0]?.target]).toEqual(['redirect', 'https://new.example/help']);
  });

  test('follow a learnt rule, if its target lives', async () => {
    const url = '/a/b';
    const followed = await suggest({ url }, SITE, { rules: () => '/shop/cameras/compact' });
    expect(followed).toMatchObject({ suggested: 'redirect', confidence: 'likely' });
    expect(followed.reasons[0]).toBe('a rule learnt from decisions');
    expect((await suggest({ url }, SITE, { rules: () => '/missing' })).suggested).toBe('gone');
  });

  test('follow the neighbours of a page', async () => {
    const neighbours = learnNeighbours(
      ['a', 'b', 'c'].map((name) => ({ url: `/produkte/${name}`, target: `/shop/cameras/${name}` })),
    );
    const { suggestions, confidence } = await suggest({ url: '/produkte/compact' }, SITE, { neighbours });
    expect([suggestions[0]?.target, confidence]).toEqual(['/shop/cameras/compact', 'likely']);
    expect(suggestions[0]?.reasons[0]).toBe('3 of 3 decided pages of /produkte/ went there');
  });
});

describe('hostile input', () => {
  const HOSTILE: Page[] = [
    { url: `/${'a-b/'.repeat(500)}` },
    { url: `/${'word-'.repeat(400)}` },
    { url: '/%', title: '' },
    { url: '/%E9%zz?%=&&=/' },
    { url: '', title: null },
    { url: '/новости/камеры', title: 'Новости' },
    { url: '/ニュース/カメラ' },
    { url: '/größe/%C3%BCbersicht' },
    { url: `/${'9'.repeat(2_000)}` },
  ];

  test.each(HOSTILE)('as a page returns a suggestion: $url', async (page) => {
    const { suggestions } = await suggest(page);
    for (const { score } of suggestions) expect(Number.isFinite(score)).toBe(true);
  });

  test('as candidates is found again in another folder', async () => {
    const index = await buildIndex([...SITE, ...HOSTILE]);
    for (const [url, target] of [
      ['/archiv/groesse/uebersicht', '/größe/%C3%BCbersicht'],
      ['/archive/kamery', '/новости/камеры'],
    ] as const)
      expect(suggestFor(index, { url }).suggestions[0]?.target).toBe(target);
  });

  test('an empty list of candidates suggests nothing but gone', async () => {
    expect(await suggest({ url: '/help' }, [])).toMatchObject({ suggested: 'gone', suggestions: [] });
  });
});

test('an index knows its size and its bytes, and building it can be aborted', async () => {
  const index = await buildIndex(SITE);
  expect(index.size).toBe(SITE.length);
  expect(index.bytes).toBeGreaterThan(SITE.reduce((sum, { url }) => sum + url.length, 0));
  const signal = AbortSignal.abort(new Error('cancelled'));
  const slice = { isOver: () => true, yield: () => Promise.resolve() };
  await expect(buildIndex(SITE, { slice, signal })).rejects.toThrow('cancelled');
});
