/**
 * Which rule answers, from what an editor wrote to what a visitor gets: order, query, slashes, patterns, and rules that
 * lead to themselves.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let names = 0;

type Rule = [oldPath: string, newPath: string, isRegex?: 'regex'];

/** A website with these rules live; answers how to ask it for a Location (or 404). */
async function siteOf(rules: Rule[], options: Record<string, unknown> = {}) {
  const host = `rules${++names}.example`;
  const site = await createSite(owner, [host], { auto_deploy: false, ...options });
  for (const [old_path, new_path, isRegex] of rules) {
    await addRedirect(owner, site, { old_path, new_path, is_regex: isRegex === 'regex' });
  }
  await owner.call('POST', '/api/deployments', { website_id: site, environment: 'production' });
  await settled(owner, site);
  return async (path: string) => {
    const { status, location } = await detour.visit(host, path);
    return location ?? status;
  };
}

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

describe('order', () => {
  test('required query, most pairs first > exact slash > slash ignored > pattern', async () => {
    const ask = await siteOf([
      ['/(.*)', '/pattern', 'regex'],
      ['/p/', '/slash'],
      ['/p', '/exact'],
      ['/p?a=1', '/one'],
      ['/p?b=2&a=1', '/two'],
      ['/q/', '/q-slash'],
    ]);
    expect(await ask('/p?a=1&b=2')).toBe('/two');
    expect(await ask('/p?b=2&c=3&a=1')).toBe('/two?c=3');
    expect(await ask('/p?c=3&a=1')).toBe('/one?c=3');
    expect(await ask('/p?a=2')).toBe('/exact?a=2');
    expect(await ask('/p/')).toBe('/slash');
    expect(await ask('/q')).toBe('/q-slash');
    expect(await ask('/other')).toBe('/pattern');
  });

  test('patterns: longest literal prefix, then longest pattern, then byte order', async () => {
    const ask = await siteOf([
      ['/docs/.*', '/short-prefix', 'regex'],
      ['/docs/api/.*', '/long-prefix', 'regex'],
      ['/docs/api/[a-z]+', '/longer-pattern', 'regex'],
      ['/x/[ab]', '/first', 'regex'],
      ['/x/[ac]', '/second', 'regex'],
    ]);
    expect(await ask('/docs/api/v')).toBe('/longer-pattern');
    expect(await ask('/docs/api/1')).toBe('/long-prefix');
    expect(await ask('/docs/other')).toBe('/short-prefix');
    expect(await ask('/x/a')).toBe('/first');
    expect(await ask('/x/c')).toBe('/second');
  });

  test('of equally many required pairs the lower old_path wins', async () => {
    const ask = await siteOf([
      ['/p?b=1', '/b'],
      ['/p?a=1', '/a'],
    ]);
    expect(await ask('/p?b=1&a=1')).toBe('/a?b=1');
  });

  test('a rule with a required query stands where the slash is ignored too, last among its kind', async () => {
    const ask = await siteOf([
      ['/p/?a=1', '/slash-query'],
      ['/p', '/plain'],
    ]);
    expect(await ask('/p?a=1')).toBe('/slash-query');
    expect(await ask('/p')).toBe('/plain');
  });
});

describe('a rule whose Location is the request', () => {
  test('gives way to the next one, or to 404', async () => {
    const ask = await siteOf([
      ['/a', '/a/'],
      ['/b/', '/b'],
      ['/c', '/c/'],
      ['/c/.*', '/c-pattern', 'regex'],
      ['/x/(.*)', '/X/$1', 'regex'],
    ]);
    expect([await ask('/a'), await ask('/a/')]).toEqual(['/a/', 404]);
    expect([await ask('/b/'), await ask('/b')]).toEqual(['/b', 404]);
    expect([await ask('/c'), await ask('/c/')]).toEqual(['/c/', '/c-pattern']);
    expect([await ask('/x/1'), await ask('/X/1')]).toEqual(['/X/1', 404]);
  });

  test('/foo-Bar to /foo-bar works where case is ignored', async () => {
    const ask = await siteOf([['/foo-Bar', '/foo-bar']], { case_sensitive: false });
    expect([await ask('/foo-Bar'), await ask('/FOO-BAR'), await ask('/foo-bar')]).toEqual([
      '/foo-bar',
      '/foo-bar',
      404,
    ]);
  });
});

describe('options', () => {
  test('trailing_slash exact: a slash more or less is another path', async () => {
    const ask = await siteOf(
      [
        ['/a', '/1'],
        ['/b/', '/2'],
      ],
      { trailing_slash: 'exact' },
    );
    expect([await ask('/a/'), await ask('/b'), await ask('/a'), await ask('/b/')]).toEqual([404, 404, '/1', '/2']);
  });

  test('query exact: no query except the one that a rule requires', async () => {
    const ask = await siteOf(
      [
        ['/a', '/1'],
        ['/a?x=1', '/2'],
      ],
      { query: 'exact' },
    );
    expect([await ask('/a'), await ask('/a?y=1'), await ask('/a?x=1'), await ask('/a?x=1&y=1')]).toEqual([
      '/1',
      404,
      '/2',
      404,
    ]);
  });

  test('case_sensitive false: captures keep the case of the request', async () => {
    const ask = await siteOf(
      [
        ['/Shop/(.*)', '/store/$1', 'regex'],
        ['/STRASSE/ÄÖ', '/ok'],
      ],
      { case_sensitive: false },
    );
    expect(await ask('/sHOP/AbC')).toBe('/store/AbC');
    expect(await ask('/strasse/%C3%A4%C3%B6')).toBe('/ok');
  });
});

describe('patterns', () => {
  test('match the whole path, with or without anchors, up to 2,048 bytes', async () => {
    const ask = await siteOf([
      ['/a[0-9]+', '/plain', 'regex'],
      ['^/b[0-9]+$', '/anchored', 'regex'],
      ['/long/(.*)', '/cut', 'regex'],
    ]);
    expect([await ask('/a1'), await ask('/a1x'), await ask('/x/a1')]).toEqual(['/plain', 404, 404]);
    expect([await ask('/b1'), await ask('/b1x')]).toEqual(['/anchored', 404]);
    expect(await ask(`/long/${'x'.repeat(2_042)}`)).toBe('/cut');
    expect(await ask(`/long/${'x'.repeat(2_043)}`)).toBe(404);
  });

  test('that would ruin a backtracking engine answer at once', async () => {
    const ask = await siteOf([
      ['/(a+)+b', '/slow', 'regex'],
      ['/(.*)*c(.*)*d', '/slower', 'regex'],
    ]);
    const began = performance.now();
    expect(await ask(`/${'a'.repeat(2_000)}`)).toBe(404);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('use named groups, numbered groups and dollars', async () => {
    const ask = await siteOf([['/(?P<y>[0-9]{4})/(?P<slug>[^/]+)', '/$2-${y}?price=$$1#${slug}', 'regex']]);
    expect(await ask('/2024/hello')).toBe('/hello-2024?price=$1#hello');
    expect(await ask('/2024/hello?a=b')).toBe('/hello-2024?price=$1&a=b#hello');
  });
});
