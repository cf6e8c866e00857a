import { describe, expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import { alike, liveMarks, liveRuleOf, stateWords } from '../../dashboard/src/screens/redirects/live-state.ts';

const NOON = '2030-01-31T12:00:00Z';
const REDIRECT: Redirect = {
  id: 1,
  website_id: 1,
  old_path: '/a',
  new_path: '/new',
  status_code: 302,
  is_regex: false,
  group_id: null,
  notes: null,
  target_environments: 'production,staging',
  active_from: null,
  active_until: null,
  created_at: NOON,
  updated_at: NOON,
  deployed_to_prod: NOON,
  deployed_to_staging: NOON,
  deployed_to_dev: null,
  target_state: null,
  target_checked_at: null,
  live: {},
};
const LIVE = {
  old_path: '/a',
  new_path: '/old',
  status_code: 301,
  is_regex: false,
  active_from: null,
  active_until: null,
};

const NOW = Date.parse('2030-02-10T12:00:00Z');
const statesOf = (redirect: Redirect, held: Parameters<typeof liveMarks>[1] = []) =>
  liveMarks(redirect, held, NOW).map(({ environment, state }) => `${environment} ${state}`);

describe('the mark of an environment', () => {
  test('is live, waiting for a deployment, or not live', () => {
    expect(statesOf(REDIRECT)).toEqual(['production live', 'staging live']);
    const edited = { ...REDIRECT, deployed_to_staging: null, live: { production: LIVE, staging: null } };
    expect(statesOf(edited)).toEqual(['production waiting', 'staging none']);
    expect(liveMarks(edited, [], NOW)[0]?.title).toBe('Production: a change waits, live is /old 301');
    const { live: _live, ...created } = { ...REDIRECT, deployed_to_prod: null, deployed_to_staging: null };
    expect(statesOf(created)).toEqual(['production none', 'staging none']);
  });

  test('is not live outside of the schedule of the deployed rule, whatever the draft says', () => {
    const later = '2030-02-10T12:00:01Z';
    const marks = (redirect: Redirect) =>
      liveMarks({ ...redirect, target_environments: 'production' }, ['staging'], NOW).map(
        ({ state, isAnswering, title }) => [state, isAnswering, title.replace(/,.*/, '')],
      );
    expect(marks({ ...REDIRECT, active_from: later })).toEqual([['scheduled', false, 'Production: not live yet']]);
    expect(marks({ ...REDIRECT, active_until: NOON })).toEqual([['ended', false, 'Production: not live any more']]);
    expect(marks({ ...REDIRECT, active_from: NOON, active_until: later })[0]?.slice(0, 2)).toEqual(['live', true]);
    expect(marks({ ...REDIRECT, live: { production: { ...LIVE, active_from: later } } })[0]?.[1]).toBe(false);
    expect(marks({ ...REDIRECT, active_from: later, live: { production: LIVE } })[0]?.slice(0, 2)).toEqual([
      'waiting',
      true,
    ]);
    expect(marks({ ...REDIRECT, deployed_to_prod: null, live: { staging: { ...LIVE, active_until: NOON } } })).toEqual([
      ['none', false, 'Production: not live yet'],
      ['ended', false, 'Staging: not live any more'],
    ]);
  });

  test('is shown for an environment that the redirect does not have: live if it is held, else a removal waits', () => {
    const promoted = {
      ...REDIRECT,
      target_environments: 'staging',
      live: { production: { ...LIVE, new_path: '/new' } },
    };
    expect(statesOf(promoted, ['production'])).toEqual(['production live', 'staging live']);
    expect(statesOf(promoted)).toEqual(['production waiting', 'staging live']);
  });
});

test('the states of several environments are one phrase if they are alike, otherwise one for each', () => {
  const words = (redirect: Redirect) => stateWords(['production', 'staging'], liveMarks(redirect, [], NOW));
  const waiting = { ...REDIRECT, deployed_to_prod: null, deployed_to_staging: null };
  expect(words(waiting)).toEqual(['not live yet']);
  expect(words({ ...waiting, target_environments: 'production' })).toEqual([
    'Production: not live yet',
    'Staging: not in this environment',
  ]);
  expect(words({ ...REDIRECT, active_until: '2030-03-01T12:00:00Z' })[0]).toMatch(/^live since .*, until \S/);
});

test('the live rule is named beside an edit, first of all that of production', () => {
  expect(liveRuleOf(REDIRECT)).toBeUndefined();
  expect(liveRuleOf({ ...REDIRECT, live: { production: null } })).toBeUndefined();
  expect(liveRuleOf({ ...REDIRECT, live: { production: LIVE, staging: { ...LIVE, old_path: '/b' } } })).toEqual({
    label: 'live',
    text: '/old 301',
    title: 'Live in production: /old 301\nLive in staging: /b → /old 301',
  });
  const encoded = { ...LIVE, new_path: '/stra%C3%9Fe' };
  expect(liveRuleOf({ ...REDIRECT, live: { production: encoded } })?.text).toBe('/straße 301');
  expect(liveRuleOf({ ...REDIRECT, live: { staging: { ...LIVE, new_path: null, status_code: 410 } } })).toMatchObject({
    label: 'live in staging',
    text: '410',
  });
});

test('environments that answer alike are one line', () => {
  const answer = { status_code: 301, location: '/x', outcome: 'end', hops: [], match: null, inactive: null } as const;
  const of = (more: object = {}) => ({ ...answer, hops: [], ...more });
  const groups = (...answers: ReturnType<typeof of>[]) => alike(answers).map(({ environments }) => environments.join());
  expect(groups(of(), of(), of())).toEqual(['production,staging,development']);
  expect(groups(of(), of({ location: '/y' }), of())).toEqual(['production,development', 'staging']);
  expect(groups(of(), of({ location: '/y' }), of({ status_code: 302 }))).toHaveLength(3);
});
