import { describe, expect, test } from 'vitest';
import { ACCOUNT_SECTIONS, navHref, placeOf, WEBSITE_SECTIONS, WEBSITE_NAV } from '../../dashboard/src/nav.ts';

describe('sections', () => {
  const placeIn = (path: string) => {
    const { section, screen } = placeOf(WEBSITE_SECTIONS, '/websites/7', path) ?? {};
    return [section?.label, screen?.label];
  };
  test.each([
    ['/websites/7', 'Home', 'Home'],
    ['/websites/7/redirects', 'Redirects', 'Redirects'],
    ['/websites/7/moves/mov_1', 'Redirects', 'Moves'],
    ['/websites/7/deployments/review', 'Releases', 'Deployments'],
    ['/websites/7/checks/chk_1', 'Checks', 'Live checks'],
  ])('%s is behind %s', (path, section, screen) => {
    expect(placeIn(path)).toEqual([section, screen]);
  });

  test('pages of the account are behind the longest path', () => {
    expect(placeOf(ACCOUNT_SECTIONS, '', '/account/keys')?.screen.label).toBe('API keys');
    expect(placeOf(ACCOUNT_SECTIONS, '', '/account')?.screen.label).toBe('Account');
    expect(placeOf(ACCOUNT_SECTIONS, '', '/webhooks/whk_1')?.section.label).toBe('Account');
    expect(placeOf(ACCOUNT_SECTIONS, '', '/sign-in')).toBeUndefined();
  });

  test('there are seven', () => {
    expect(WEBSITE_SECTIONS.map(({ label }) => label)).toEqual([
      'Home',
      'Redirects',
      'Releases',
      'Traffic',
      'Checks',
      'Activity',
      'Settings',
    ]);
  });
});

test('a URL has the environment if its screen shows one, and if it is not production', () => {
  const hrefs = (environment: 'production' | 'staging') =>
    WEBSITE_NAV.filter(({ path }) => ['/analytics', '/moves'].includes(path)).map((screen) =>
      navHref('/websites/7', screen, environment),
    );
  expect(hrefs('production')).toEqual(['/websites/7/moves', '/websites/7/analytics']);
  expect(hrefs('staging')).toEqual(['/websites/7/moves', '/websites/7/analytics?environment=staging']);
});
