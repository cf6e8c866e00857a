import { expect, test } from 'vitest';
import { environmentsOf, isFiltered, savedQuery, sortsOf, viewOf } from '../../dashboard/src/screens/redirects/view.ts';

const NOW = Date.parse('2030-03-31T23:59:59Z');
const view = (query: string, hasHits = true) => viewOf(7, new URLSearchParams(query), hasHits, NOW);

test('without parameters the view has all redirects, newest first', () => {
  expect(view('').sort).toBe('-id');
  expect(isFiltered(view(''))).toBe(false);
});

test('filters come from the query, and invalid values are ignored', () => {
  expect(view('q=shop&environment=staging&status_code=410&is_regex=true&group=').filter).toMatchObject({
    website_id: 7,
    q: 'shop',
    environment: 'staging',
    status_code: 410,
    is_regex: true,
    group: '',
  });
  const invalid = view('q=&environment=prod&status_code=200&is_regex=yes&sort=name');
  expect(isFiltered(invalid)).toBe(false);
  expect(invalid.sort).toBe('-id');
});

test('unused redirects have no hit since that day, and are older', () => {
  const { filter } = view('not_followed=90');
  expect([filter.last_hit_before, filter.created_before]).toEqual(['2029-12-31', '2029-12-31']);
  expect(isFiltered(view('not_followed=91'))).toBe(false);
});

test('a plan without analytics has no filter and no order by hits', () => {
  expect(isFiltered(view('not_followed=90', false))).toBe(false);
  expect(view('sort=-hits', false).sort).toBe('-id');
  expect(view('sort=-hits').sort).toBe('-hits');
  expect(sortsOf(false).map(([sort]) => sort)).not.toContain('hits');
});

test('environments are parsed from the comma-separated text', () => {
  expect(environmentsOf({ target_environments: 'production,staging' })).toEqual(['production', 'staging']);
  expect(environmentsOf({ target_environments: '' })).toEqual([]);
});

test('a saved view has the filters and the order of the URL, in one order', () => {
  const url = new URLSearchParams('sort=id&group=&new=/&status_code=302&q=a+b&view=upcoming');
  expect(savedQuery(url)).toBe('q=a+b&status_code=302&group=&sort=id');
  expect(savedQuery(new URLSearchParams('view=upcoming'))).toBe('');
});
