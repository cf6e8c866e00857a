import { expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import { summaryText } from '../../dashboard/src/screens/redirects/page/summary-text.ts';

const sentence = (fields: Partial<Redirect>): string => {
  const redirect = { old_path: '/a', new_path: '/b', status_code: 301, is_regex: false, ...fields } as Redirect;
  const { start, middle, end } = summaryText(redirect);
  return `${start}${redirect.old_path}${middle}${redirect.new_path ?? ''}${end}`;
};

test.each<[Partial<Redirect>, string]>([
  [{}, '/a redirects to /b, permanently (301).'],
  [{ status_code: 302 }, '/a redirects to /b, temporarily (302).'],
  [{ status_code: 308 }, '/a redirects to /b, permanently, keeping the method (308).'],
  [{ is_regex: true, old_path: '/a/(.*)' }, 'Paths that match /a/(.*) redirect to /b, permanently (301).'],
  [{ status_code: 410, new_path: null }, '/a is gone (410).'],
  [
    { status_code: 451, new_path: null, is_regex: true },
    'Paths that match /a are unavailable for legal reasons (451).',
  ],
])('%o', (fields, text) => {
  expect(sentence(fields)).toBe(text);
});
