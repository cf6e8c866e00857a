import { expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import { nearTime } from '../../dashboard/src/format.ts';
import { summaryText, waits } from '../../dashboard/src/screens/redirects/page/summary-text.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const ENDED = '2029-12-01T12:00:00Z';

const sentence = (fields: Partial<Redirect>): string => {
  const always = { active_from: null, active_until: null };
  const redirect = {
    ...always,
    old_path: '/a',
    new_path: '/b',
    status_code: 301,
    is_regex: false,
    ...fields,
  } as Redirect;
  const { start, middle, end } = summaryText(redirect, NOW);
  return `${start}${redirect.old_path}${middle}${redirect.new_path ?? ''}${end}`;
};

test.each<[Partial<Redirect>, string]>([
  [{}, '/a redirects to /b, permanently (301).'],
  [{ status_code: 302 }, '/a redirects to /b, temporarily (302).'],
  [{ status_code: 308 }, '/a redirects to /b, permanently, keeping the method (308).'],
  [{ is_regex: true, old_path: '/a/(.*)' }, 'Paths that match /a/(.*) redirect to /b, permanently (301).'],
  [{ status_code: 410, new_path: null }, '/a is gone (410).'],
  [{ active_until: ENDED }, `/a redirects to /b, permanently (301), ended ${nearTime(ENDED, NOW)}.`],
  [
    { status_code: 451, new_path: null, is_regex: true },
    'Paths that match /a are unavailable for legal reasons (451).',
  ],
])('%o', (fields, text) => {
  expect(sentence(fields)).toBe(text);
});

test.each<[string, Partial<Redirect>, boolean]>([
  ['live', {}, false],
  ['not deployed', { deployed_to_prod: null }, true],
  ['changed', { live: { production: { old_path: '/a', new_path: '/before' } } } as unknown as Partial<Redirect>, true],
  [
    'live in staging, and still live in production by a promotion',
    {
      ...{ target_environments: 'staging', deployed_to_staging: ENDED },
      live: { production: { old_path: '/a', new_path: '/b' } },
    } as unknown as Partial<Redirect>,
    false,
  ],
])('%s: whether it waits for a deployment', (_, fields, expected) => {
  const live = { deployed_to_prod: ENDED, deployed_to_staging: null, deployed_to_dev: null, live: {} };
  const rule = {
    old_path: '/a',
    new_path: '/b',
    status_code: 301,
    is_regex: false,
    active_from: null,
    active_until: null,
  };
  const redirect = { ...rule, ...live, target_environments: 'production', ...fields } as Redirect;
  expect(waits(redirect, NOW)).toBe(expected);
});

test('a redirect that waits for a deployment holds only after it', () => {
  const rule = { old_path: '/a/(.*)', new_path: '/b', status_code: 301, is_regex: true } as Redirect;
  expect(summaryText(rule, NOW, true).start).toBe('After the next deployment, paths that match ');
});
