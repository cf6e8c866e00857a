import { expect, test } from 'vitest';
import { meantBy, unknownFilter } from '../../dashboard/src/screens/redirects/list/meant.ts';
import { REDIRECT_TOKENS } from '../../dashboard/src/screens/redirects/view.ts';

test.each([
  ['statsu:301', 'status:301'],
  ['boots -grop:news', 'boots -group:news'],
  ['Statuss:301,302', 'status:301,302'],
  ['typo:path', 'type:path'],
])('%j means %j', (line, meant) => {
  expect(meantBy(REDIRECT_TOKENS, line)).toBe(meant);
});

test.each(['campaign 302', 'hits:>5', 'statsu:999', 'https://shop.example.com/a', 'statsu:', '/a'])(
  '%j means no other line',
  (line) => {
    expect(meantBy(REDIRECT_TOKENS, line)).toBeUndefined();
  },
);

test.each([
  ['boots hits:>5', 'hits'],
  ['-size:3', 'size'],
  ['status:301', undefined],
  ['https://example.com/a', undefined],
])('the unknown filter of %j is %j', (line, unknown) => {
  expect(unknownFilter(REDIRECT_TOKENS, line)).toBe(unknown);
});
