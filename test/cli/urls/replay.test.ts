/**
 * A history of commits, each checked as a pipeline does before its merge: every URL that vanishes is found in the commit
 * in which it vanishes, and no other is. All 300 commits are replayed in test/soak/urls-replay.test.ts. Holds the rules
 * of src/cli/urls/check/check-build.ts.
 */
import { describe, expect, test } from 'vitest';
import { replayHistory } from '../../support/replay-history.ts';
import { type SiteCommit, siteHistory } from '../../support/site-history.ts';

const MAX_HOPS = 20;
/** The end of a chain, by definition: a page that lives, or nothing. */
function isAnswered(url: string, pages: Set<string>, rules: Map<string, string>): boolean {
  let at = url;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const next = rules.get(at);
    if (next === undefined) return pages.has(at);
    at = next;
  }
  return false;
}

const rulesOf = ({ redirects }: SiteCommit): Map<string, string> =>
  new Map(redirects.map((rule) => [rule.old_path, rule.new_path]));

const history = [...siteHistory()];

describe('the history', () => {
  test('has all kinds of commits, with and without mistakes', () => {
    expect(history).toHaveLength(300);
    for (const word of ['add', 'rename', 'split', 'merge', 'move', 'delete', 'redirect', 'restore', 'edit']) {
      expect(history.filter(({ subject }) => subject.startsWith(word)).length, word).toBeGreaterThan(3);
    }
    expect(history.filter(({ expectLost }) => expectLost.length > 0).length).toBeGreaterThan(40);
    expect(history.filter(({ expectLost }) => expectLost.length === 0).length).toBeGreaterThan(100);
    expect(history.flatMap(({ expectDeadEnds }) => expectDeadEnds).length).toBeGreaterThan(20);
    expect([...siteHistory()]).toEqual(history);
  });

  test.each([1, 2, 3])('names exactly the URLs that lose their answer, with seed %i', (seed) => {
    const published = new Set<string>();
    let before: string[] = [];
    for (const commit of siteHistory({ seed })) {
      const [pages, rules] = [new Set(commit.pages), rulesOf(commit)];
      for (const page of pages) published.add(page);
      const lost = [...published].filter((url) => !isAnswered(url, pages, rules)).toSorted();
      expect(
        lost.filter((url) => !before.includes(url)),
        commit.subject,
      ).toEqual(commit.expectLost);
      before = lost;
    }
  });
});

test('the command finds each in its commit, and gives no false alarm', { timeout: 60_000 }, () =>
  replayHistory(history.slice(0, 20)),
);
