/**
 * The action as the runner starts it: the files of the repository without node_modules. Holds the rules of
 * src/cli/github/github-action.ts.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { actionParser } from '../../scripts/build-action.ts';
import { startStubApi, type StubAnswer, type StubApi } from '../support/stub-api.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHOP = { id: '1', name: 'Shop', hosts: [], auto_deploy: true, held_environments: [] };
const SYNCED = { sync: { created: 1, updated: 0, deleted: 0, unchanged: 2 }, revision: 9, change_id: null };

let folder: string;
let api: StubApi;
let answers: Record<string, StubAnswer>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-action-'));
  for (const part of ['package.json', 'bin', 'src/cli', 'src/vocabulary']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  writeFileSync(join(folder, 'redirects.csv'), 'old_path,new_path\n/a,/b\n');
  const check = { urls: 4, lost: 0 };
  const urls = { total: 5, added: 0, revived: 0, removed: 0, unchanged: 5, merged: 0, ignored: 0, invalid: 0 };
  const examples = { merged_examples: [], merged_parameters: [], ignored_hosts: [], invalid_examples: [] };
  answers = {
    'GET /websites': { body: { websites: [SHOP] } },
    'PUT /websites/1/redirects': { body: { ...SYNCED, deployments: [], changes: [] } },
    'PUT /websites/1/urls/living': { body: { urls: { ...urls, not_living: 0 }, list_version: 3, ...examples } },
    'POST /websites/1/urls/check': { body: { check, lost: [], shadowed: [], dangling: [] } },
    'POST /redirects/test': { body: { results: [{ status_code: 404, redirect_id: null }] } },
  };
  api = await startStubApi(
    ({ method, path }) => answers[`${method} ${path.replace('/api/v1', '')}`] ?? { status: 404 },
  );
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

async function action(event: string, inputs: Record<string, string>) {
  const given = { url: api.url, 'api-key': 'dtr_x', urls: join(ROOT, 'test/fixtures/sites/hugo'), ...inputs };
  const env = {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...{ GITHUB_EVENT_NAME: event, HOME: folder },
    ...{ GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary.md') },
  };
  const exit = await new Promise<number>((resolve) => {
    const child = execFile(process.execPath, [join(folder, 'bin/github-action.js')], { cwd: folder, env });
    child.once('exit', (code) => resolve(code ?? -1));
  });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { exit, output: read('output'), summary: read('summary.md'), calls: api.requests.map(({ path }) => path) };
}

const UNBROKEN = 'this build loses no URL';

test('a pull request shows the plan of the redirects and the check of the URLs', async () => {
  const { exit, output, summary } = await action('pull_request', { list: 'docs', 'fail-on-broken-links': 'true' });
  expect(exit).toBe(1);
  expect(summary).toContain('### Redirects of Shop');
  expect(summary).toContain(`### URLs of Shop\n\n\`\`\`text\n${UNBROKEN}\n1 link without a page:\n`);
  expect(output).toContain('created=1\n');
  expect(output).toMatch(/newly-lost=0\n.*result=failed\n$/s);
});

test('a plan that is refused is the result, also if the URLs are in order', async () => {
  const loops = [{ environment: 'production', code: 'REDIRECT_LOOP', old_paths: ['/a'] }];
  answers['PUT /websites/1/redirects'] = { body: { ...SYNCED, deployments: [], changes: [], loops } };
  const { exit, output, summary } = await action('pull_request', {});
  expect(exit).toBe(3);
  expect(summary).toContain(UNBROKEN);
  expect(output).toMatch(/result=refused\n$/);
});

test('a merge syncs, then pushes the living pages', async () => {
  const { exit, output, calls } = await action('push', { base: '/docs/', 'max-removed': '5%' });
  expect(exit).toBe(0);
  expect(calls.filter((path) => path.includes('/1/'))).toEqual([
    '/api/v1/websites/1/redirects',
    '/api/v1/websites/1/urls/living',
  ]);
  expect(api.requests.at(-1)?.query).toEqual({ max_removed: '5%' });
  expect(output).toContain('unchanged=2\n');
  expect(output).toContain('list-version=3\n');
});

test('file: none runs only the commands of urls', async () => {
  const { exit, calls } = await action('push', { file: 'none' });
  expect(exit).toBe(0);
  expect(calls).not.toContain('/api/v1/websites/1/redirects');
});

test('bin/html-parser.js is current', async () => {
  expect(readFileSync(join(ROOT, 'bin/html-parser.js'), 'utf8') === (await actionParser())).toBe(true);
});
