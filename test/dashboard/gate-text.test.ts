import { isGateError } from '../../dashboard/src/api/deployments.ts';
import { expect, test } from 'vitest';
import {
  failedCount,
  gateCheckText,
  gateText,
  newFailuresText,
} from '../../dashboard/src/screens/deployments/gate-text.ts';
import { failuresInWords } from '../../src/deployments/gate/describe.ts';
import { urlFailuresInWords } from '../../src/deployments/gate/urls/describe-urls.ts';

const response = { statusCode: 301, location: '/a: b', final: null };
const failures = [{ url: '/x; y', expected: response, actual: { ...response, statusCode: 404, problem: null } }];
const expectations = `EXPECTATIONS_FAILED: ${failuresInWords(1_200, 1_300, failures)}`;
const lost = { kind: 'url_lost', url: '/gone', weight: 1, reason: 'unanswered' } as const;
const hidden = { kind: 'url_shadowed', url: '/home', weight: 1, oldPath: '/ho(.*)', shadow: 'pattern' } as const;
const urlsOf = (lostCount: number, shadowed: number): string =>
  `URLS_LOST: ${urlFailuresInWords({ lost: lostCount, shadowed, failures: [lost, hidden], covered: { count: 0, urls: [] }, passed: 0, isCutShort: false })}`;

test.each([
  [expectations, '1,200 of 1,300 expectations failed.', 1_200],
  [urlsOf(1, 0), '1 URL would be lost.', 1],
  [urlsOf(2, 1), '2 URLs would be lost, 1 living page would be hidden by a rule.', 3],
  [urlsOf(0, 2), '2 living pages would be hidden by rules.', 2],
  [
    `${expectations}; ${urlsOf(2, 2)}`,
    '1,200 of 1,300 expectations failed, 2 URLs would be lost, 2 living pages would be hidden by rules.',
    1_204,
  ],
])('the error of a gate without its first failures: %s', (error, text, count) => {
  expect([isGateError(error), gateText(error), failedCount(error)]).toEqual([true, text, count]);
});

test('other errors are of no gate', () => {
  for (const error of [null, 'REDIRECT_LOOP: /a -> /a are a loop', 'EXPECTATIONS_CUT_SHORT: 60 s']) {
    expect(isGateError(error)).toBe(false);
  }
});

test.each([
  [3, 0, true, false, 'Gate passed: 3 expectations would hold.'],
  [0, 0, true, false, 'No expectations.'],
  [2, 1, true, false, '1 of 3 expectations would fail, so this would not be deployed.'],
  [2, 1, true, true, '1 of 3 expectations would fail. This is deployed all the same.'],
  [3, 0, false, false, '3 expectations would hold (not gated).'],
  [1, 2, false, false, '1 expectation would hold, 2 would fail (not gated: deploys anyway).'],
])('%d that hold and %d that fail, gated: %s, forced: %s', (passed, failed, isGated, isForced, text) => {
  expect(gateCheckText({ passed, failed, isGated, isForced })).toBe(text);
});

test.each([
  [3, 0, ''],
  [1, 2, ' 1 new, 2 failed before.'],
  [0, 2, ' All failed before.'],
])('%d new failures and %d from before', (fresh, old, text) => {
  expect(newFailuresText(fresh, old)).toBe(text);
});
