/**
 * A history of 300 commits, each checked as a pipeline does before its merge: every URL that vanishes is found in the
 * commit in which it vanishes, and no other is. Holds the rules of src/cli/urls/check/check-build.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { type SiteCommit, siteHistory } from '../../support/site-history.ts';
import { startStubApi, type StubAnswer, type StubApi, type StubRequest } from '../../support/stub-api.ts';

const MAX_HOPS = 20;
/** More rows than in one answer of the stub, so that long lists are read as lines. */
const ROWS = 5;

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
const pageLists = history.map(({ pages }) => new Set(pages));

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

describe('the command', () => {
  let folder: string;
  let api: StubApi;
  /** what the service stores: the commit whose pages are pushed, and the redirects of the draft */
  let [stored, draft] = [0, 0];
  const published = new Set(history[0]?.pages);

  function answer({ path, query, body }: StubRequest): StubAnswer {
    if (path.endsWith('/websites')) {
      return { body: { websites: [{ id: '1', name: 'Docs', hosts: [], auto_deploy: true, held_environments: [] }] } };
    }
    const pages = query['living'] === 'body' ? new Set(body.trim().split('\n')) : (pageLists[stored] ?? new Set());
    const rules = rulesOf(history[draft] as SiteCommit);
    const lost = [...published].filter((url) => !isAnswered(url, pages, rules)).map((url) => ({ url }));
    if (query['format'] === 'ndjson') return { body: lost.map((row) => `${JSON.stringify(row)}\n`).join('') };
    const check = { urls: published.size, lost: lost.length };
    return { body: { check, lost: lost.slice(0, ROWS), shadowed: [], dangling: [] } };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'detour-replay-'));
    api = await startStubApi(answer);
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function check(commit: SiteCommit): Promise<{ exit: number; lost: string[] }> {
    const file = join(folder, 'pages.txt');
    writeFileSync(file, `${commit.pages.join('\n')}\n`);
    const stdout = new PassThrough();
    const env = { HOME: folder, DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test' };
    const io = { env, stdin: Readable.from([]), stdout, stderr: new PassThrough() };
    const exit = await run(['urls', 'check', file, '--against', 'draft', '--json'], io);
    const { lost_urls: lost } = JSON.parse(String(stdout.read())) as { lost_urls: { url: string }[] };
    return { exit, lost: lost.map(({ url }) => url).toSorted() };
  }

  test('finds each in its commit, and gives no false alarm', async () => {
    for (const [index, commit] of history.entries()) {
      if (index === 0) continue;
      draft = index;
      const { exit, lost } = await check(commit);
      expect({ exit, lost }, commit.subject).toEqual({
        exit: commit.expectLost.length > 0 ? 3 : 0,
        lost: commit.expectLost,
      });
      stored = index;
      for (const page of commit.pages) published.add(page);
    }
  });
});
