import { expect, test } from 'vitest';
import {
  chooseVersion,
  chosenIn,
  compareUrl,
  compareViewOf,
  kindIn,
  showOf,
} from '../../dashboard/src/screens/deployments/compare-view.ts';

test('the URL keeps environment and versions', () => {
  const url = new URL(compareUrl(7, { environment: 'staging', from: '3', to: 'live' }), 'http://x.example');
  expect(url.pathname).toBe('/websites/7/deployments/compare');
  expect(compareViewOf(url.searchParams)).toEqual({
    environment: 'staging',
    toEnvironment: 'staging',
    from: '3',
    to: 'live',
  });
});

test('unknown values become the defaults: live and current redirects of production', () => {
  expect(compareViewOf(new URLSearchParams('from=0&to=-1&environment=x&show=y'))).toEqual({
    environment: 'production',
    toEnvironment: 'production',
    from: 'live',
    to: 'draft',
  });
});

test('the versions may be of two environments, and what one version has is compared with nothing', () => {
  expect(compareViewOf(new URLSearchParams('from=none&to=4&to_environment=staging'))).toEqual({
    environment: 'production',
    toEnvironment: 'staging',
    from: 'none',
    to: '4',
  });
});

test('two versions can be chosen, the older first, and a third replaces the first', () => {
  const chosen = (text: string) => chosenIn(new URLSearchParams({ compare: text }));
  expect([chosen(''), chosen('5'), chosen('5,3'), chosen('5,5,x,2,9')]).toEqual([[], [5], [3, 5], [2, 5]]);
  expect(chooseVersion([], 4)).toEqual([4]);
  expect(chooseVersion([4], 2)).toEqual([4, 2]);
  expect(chooseVersion([2, 4], 9)).toEqual([4, 9]);
  expect(chooseVersion([2, 4], 2)).toEqual([4]);
});

test('a difference that opens on a kind shows all of them by the URL', () => {
  for (const start of [undefined, 'removed'] as const) {
    for (const kind of [undefined, 'added', 'removed', 'not_targeted'] as const) {
      const show = showOf(kind, start);
      expect(kindIn(new URLSearchParams(show === undefined ? '' : { show }), start)).toBe(kind);
    }
    expect(kindIn(new URLSearchParams(), start)).toBe(start);
  }
});
