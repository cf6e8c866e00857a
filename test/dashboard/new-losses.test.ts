import { expect, test } from 'vitest';
import type { UrlCheck } from '../../dashboard/src/api/client/wire.ts';
import { newLosses } from '../../dashboard/src/screens/deployments/new-losses.ts';

const lostUrl = (url: string, weight: number) => ({ url, weight, reason: 'unanswered' as const });
const hiddenUrl = (url: string, kind: 'literal' | 'pattern', weight = 0) => ({ url, weight, redirect_id: '1', kind });

function check(lost: UrlCheck['lost'], shadowed: UrlCheck['shadowed'] = [], counts: object = {}): UrlCheck {
  const none = { living: 0, redirected: 0, gone: 0, none: 0, accepted: 0, urls: 9 };
  return { check: { ...none, lost: lost.length, shadowed: shadowed.length, ...counts }, lost, shadowed };
}

test('only what the candidate loses or hides is new; a rule for exactly the URL is allowed', () => {
  const live = check([lostUrl('/before', 5)], [hiddenUrl('/hidden', 'pattern')]);
  const next = check(
    [lostUrl('/before', 5), lostUrl('/new', 1)],
    [hiddenUrl('/hidden', 'pattern'), hiddenUrl('/newly', 'pattern'), hiddenUrl('/own', 'literal')],
  );
  expect(newLosses(live, next)).toEqual({
    failures: [
      { kind: 'url_lost', url: '/new', weight: 1, reason: 'unanswered' },
      { kind: 'url_shadowed', url: '/newly', shadowed_by: 'pattern' },
    ],
    isComplete: true,
  });
  expect(newLosses(live, live)).toEqual({ failures: [], isComplete: true });
});

test('of a list that is cut, only URLs heavier than its last one are known to be new', () => {
  const live = check([lostUrl('/a', 9), lostUrl('/b', 5)], [], { lost: 3 });
  const next = check([lostUrl('/heavy', 7), lostUrl('/light', 4)]);
  const { failures, isComplete } = newLosses(live, next);
  expect(failures.map(({ url }) => url)).toEqual(['/heavy']);
  expect(isComplete).toBe(false);
});
