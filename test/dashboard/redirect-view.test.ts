import { expect, test } from 'vitest';
import { dayOf } from '../../dashboard/src/format.ts';
import { partsOf } from '../../dashboard/src/screens/redirects/list/filter-parts.ts';
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

test('a repeated parameter has several values, and a period counts back from today', () => {
  const several = view('status_code=301&status_code=999&status_code=302&group=a&group=b&not_group=&not_environment=x');
  expect(several.filter).toMatchObject({ status_code: [301, 302], group: ['a', 'b'], not_group: '' });
  expect(several.filter.not_environment).toBeUndefined();
  const { filter } = view('updated_since=7d&created_since=2030-01-31');
  expect([filter.updated_since, filter.created_since]).toEqual(['2030-03-24', '2030-01-31']);
  expect(view('last_hit_since=1d').filter.last_hit_since).toBe('2030-03-30');
  expect(isFiltered(view('last_hit_since=1d', false))).toBe(false);
  expect(isFiltered(view('updated_since=soon'))).toBe(false);
});

test('the filters are named in words', () => {
  const named = (query: string) => partsOf(view(query).filter).map(({ name }) => name);
  expect(named('status_code=301&status_code=410&group=a&group=')).toEqual([
    'status 301 or status 410',
    'group “a” or no group',
  ]);
  expect(
    named('not_environment=staging&not_old_path_contains=/a&not_target_state=broken&updated_since=2030-01-31'),
  ).toEqual(['sources without “/a”', 'not staging', 'not target broken', `changed since ${dayOf('2030-01-31')}`]);
});

test('a filter that excludes names what it excludes, whatever words the text has', () => {
  const [part] = partsOf(view('not_group=shoes with laces').filter);
  expect([part?.name, part?.excluded]).toEqual(['not group “shoes with laces”', 'group “shoes with laces”']);
  const several = partsOf(view('not_new_path_contains=/a&not_new_path_contains=/b').filter);
  expect(several[0]?.name).toBe('targets without “/a”, targets without “/b”');
});

test('unused redirects have no hit since that day, and are older', () => {
  const { filter } = view('not_followed=90');
  expect([filter.last_hit_before, filter.created_before]).toEqual(['2029-12-31', '2029-12-31']);
  expect(isFiltered(view('not_followed=soon'))).toBe(false);
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
  const url = new URLSearchParams('sort=id&group=&new=/&status_code=302&status_code=301&q=a+b&view=upcoming');
  expect(savedQuery(url)).toBe('q=a+b&status_code=302&status_code=301&group=&sort=id');
  expect(savedQuery(new URLSearchParams('view=upcoming'))).toBe('');
});
