import { PgDialect } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import {
  assertFilterInPlan,
  filterCondition,
  rowCondition,
  type RedirectFilter,
} from '../../../src/redirects/list/filter.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';

const actor: Actor = {
  accountId: 3,
  plan: 'pro',
  type: 'user',
  id: '1',
  name: 'owner',
  role: 'owner',
  scope: null,
};
const time = new Date('2030-01-01T00:00:00Z');
const query = (condition: ReturnType<typeof rowCondition>) => {
  const { sql, params } = new PgDialect().sqlToQuery(condition);
  return [sql.replace(/\s+/g, ' '), params];
};

test.each<[RedirectFilter, string, unknown[]]>([
  [{}, 'true', []],
  [{ group: [''] }, 'true and r.group_id is null', []],
  [{ group: ['spring'] }, 'true and r.group_id = any($1::text[])', [['spring']]],
  [{ group: ['', 'a'] }, 'true and (r.group_id is null or r.group_id = any($1::text[]))', [['a']]],
  [{ q: '50%_' }, 'true and (r.old_path ilike $1 or r.new_path ilike $2)', ['%50\\%\\_%', '%50\\%\\_%']],
  [{ notes: '50%' }, 'true and r.notes ilike $1', ['%50\\%%']],
  [{ newPathContains: 'Blog_' }, 'true and r.new_path ilike $1', ['%Blog\\_%']],
  [{ environment: 'staging' }, 'true and r."in_staging" is not null', []],
  [{ statusCode: [302], isRegex: false }, 'true and r.status_code = any($1::smallint[]) and not r.is_regex', [[302]]],
  [{ not: [{ newPathContains: 'a' }] }, 'true and (true and r.new_path ilike $1) is not true', ['%a%']],
  [{ updatedSince: time }, 'true and r.updated_at >= $1::timestamptz', [time.toISOString()]],
  [{ createdBefore: time }, 'true and r.created_at < $1::timestamptz', [time.toISOString()]],
  [{ ids: [1, 2] }, 'true and r.id = any($1::bigint[])', [[1, 2]]],
])('the filter %j becomes a condition with parameters', (filter, text, params) => {
  expect(query(rowCondition(filter))).toEqual([text, params]);
});

test('activity is read for the environment of the filter, by default production', () => {
  expect(query(rowCondition({ lastHitSince: time }))[0]).toMatch(/^true and not /);
  const parameters = (filter: RedirectFilter) => query(rowCondition(filter))[1];
  expect(parameters({ lastHitBefore: time })).toEqual(['production', time.toISOString()]);
  expect(parameters({ lastHitBefore: time, environment: 'development' })).toEqual(['development', time.toISOString()]);
});

test('every filter is restricted to the account, and to the websites of a limited key', () => {
  const account = 'select id from websites where ("websites".account_id = $1 and "websites".deleting_since is null';
  expect(query(filterCondition(actor, {}))).toEqual([`r.website_id = any(array(${account}) and true)) and true`, [3]]);
  expect(query(filterCondition(actor, { websiteId: 7 }))).toEqual([
    `r.website_id = any(array(${account}) and id = $2)) and true`,
    [3, 7],
  ]);
  const among = '"websites".id = any($2::int[])';
  for (const websiteIds of [[7, 8], []]) {
    expect(query(filterCondition({ ...actor, websiteIds }, {}))).toEqual([
      `r.website_id = any(array(${account} and ${among}) and true)) and true`,
      [3, websiteIds],
    ]);
  }
});

test('a filter by activity requires a plan with analytics', () => {
  const free: Actor = { ...actor, plan: 'free' };
  expect(() => assertFilterInPlan(free, { lastHitBefore: time })).toThrow(
    expect.objectContaining({ code: 'PLAN_REQUIRED' }),
  );
  expect(() => assertFilterInPlan(actor, { lastHitBefore: time })).not.toThrow();
  expect(() => assertFilterInPlan(free, { createdBefore: time })).not.toThrow();
});
