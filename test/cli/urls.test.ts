/**
 * `detour urls push` and `urls check` against a server that responds as the service does. Holds the rules of
 * src/cli/commands/push-urls.ts, check-urls.ts, src/cli/urls/open-source.ts, push-list.ts, push-text.ts and spool.ts.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { spoolLines } from '../../src/cli/urls/spool.ts';
import { startStubApi, type StubAnswer, type StubApi, type StubRequest } from '../support/stub-api.ts';

const SITES = join(import.meta.dirname, '../fixtures/sites');
const SHOP = {
  id: '1',
  name: 'Shop',
  hosts: [{ hostname: 'docs.example.com', environment: 'production' }],
  auto_deploy: true,
  held_environments: [],
};
const COUNTS = {
  ...{ total: 3, added: 1, revived: 0, removed: 2, unchanged: 2 },
  ...{ merged: 0, ignored: 0, invalid: 0, not_living: 0 },
};

const EXAMPLES = { merged_examples: [], merged_parameters: [], ignored_hosts: [], invalid_examples: [] };

let api: StubApi;
/** The website whose sitemaps are fetched. */
let site: StubApi;
let folder: string;
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)>;
let files: Record<string, StubAnswer>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-cli-urls-'));
  answers = { 'GET /websites': { body: { websites: [SHOP] } } };
  files = {};
  api = await startStubApi((request) => {
    const found = answers[`${request.method} ${request.path.replace('/api/v1', '')}`];
    const missing = { status: 404, body: { error: 'Endpoint not found', code: 'NOT_FOUND' } };
    return (typeof found === 'function' ? found(request) : found) ?? missing;
  });
  site = await startStubApi(({ path }) => files[path] ?? { status: 404 });
});
afterEach(async () => {
  await Promise.all([api.close(), site.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function detour(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { HOME: folder, DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test' };
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const exit = await run(['urls', ...args], { env, stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await outputs;
  return { exit, out, err };
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const requested = (path: string): StubRequest[] => api.requests.filter((request) => request.path.endsWith(path));

const rowsOf = ({ bytes }: StubRequest): { url: string }[] =>
  gunzipSync(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string });

describe('push', () => {
  const living = (more: object = {}): StubAnswer => ({ body: { urls: COUNTS, list_version: 7, ...EXAMPLES, ...more } });

  test('a folder is one body of lines', async () => {
    answers['PUT /websites/1/urls/living'] = living();
    const options = ['--list', 'docs', '--base', '/docs/', '--max-removed', '5%', '-e', 'staging'];
    const { exit, out } = await detour('push', join(SITES, 'hugo'), ...options, '--from-hosts', 'a.example,b.example');
    expect({ exit, out }).toEqual({
      exit: 0,
      out: '3 living pages: 1 added, 0 revived, 2 removed, 2 unchanged\n',
    });
    const [sent] = requested('/living');
    expect(sent?.query).toEqual({
      ...{ list: 'docs', environment: 'staging', max_removed: '5%', from_hosts: 'a.example,b.example' },
    });
    expect(sent && rowsOf(sent)[0]).toMatchObject({ url: '/docs/guides/', title: 'Guides · Acme' });
  });

  test('a file is sent as it is; rows that are not stored are explained', async () => {
    answers['PUT /websites/1/urls/living'] = {
      body: {
        urls: { ...COUNTS, merged: 1, ignored: 4, invalid: 1, not_living: 2 },
        list_version: 7,
        merged_examples: ['/a'],
        merged_parameters: ['utm'],
        ignored_hosts: [{ host: 'cdn.example', rows: 4, reason: 'other_host' }],
        invalid_examples: [{ line: 3, value: 'x y', code: 'INVALID_URL' }],
      },
    };
    const { out } = await detour('push', file('urls.txt', '/a\n/b\n'), '--dry-run');
    expect(requested('/living')[0]).toMatchObject({ body: '/a\n/b\n', query: { dry_run: 'true' } });
    expect(out).toBe(`would be 3 living pages: 1 added, 0 revived, 2 removed, 2 unchanged
1 row is the same URL as an earlier row; parameters that do not identify a page: utm
  /a
4 rows are of other hosts; --from-hosts names those that belong to the website
  cdn.example (4, other_host)
1 row is invalid
  line 3: INVALID_URL x y
2 rows are not living: noindex, a redirect page, another canonical or status
`);
  });

  test('the guard names the option that allows it', async () => {
    const body = { error: 'Too many', code: 'TOO_MANY_GONE', removed: 1_200, total: 4_000, max_removed: 40 };
    answers['PUT /websites/1/urls/living'] = { status: 409, body };
    const { exit, err } = await detour('push', join(SITES, 'hugo'));
    expect(exit).toBe(3);
    expect(err).toContain('would remove 1,200 of 4,000 URLs from the list, and may remove 40; nothing was changed');
    expect(err).toContain('add --max-removed 1200');
  });

  test('lines beyond the limit of a file go to the next one', async () => {
    const paths = await spoolLines(Readable.from(['1\n', '2\n', '3\n', '4\n']), folder, 2);
    expect(paths.map((path) => path.slice(folder.length + 1))).toEqual(['0.ndjson.gz', '1.ndjson.gz']);
    expect(paths.map((path) => gunzipSync(readFileSync(path)).toString())).toEqual(['1\n2\n', '3\n4\n']);
  });

  test.each([
    [['push'], 'an argument is missing'],
    [['push', 'absent'], 'absent does not exist: name a folder, a file or the URL of a sitemap'],
    [['push', 'http://u:p@x.example/'], 'is not the URL of a sitemap without a password'],
    [['push', '.', '--base', 'docs'], '--base must be a path such as /docs/'],
    [['check', 'https://docs.example.com/sitemap.xml'], 'takes a folder or a file: download the sitemap first'],
    [['check', '.', '--suggest', '101'], '--suggest must be a number from 0 to 100'],
  ])('%j is wrong usage', async (args, message) => {
    const { exit, err } = await detour(...args);
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(message) });
  });
});

describe('push of a sitemap', () => {
  const urlset = '<urlset><url><loc>https://docs.example.com/a</loc></url></urlset>';
  const index = (...paths: string[]): string =>
    `<?xml version="1.0"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
      .map((path) => `<sitemap><loc>${path.startsWith('http') ? path : site.url + path}</loc></sitemap>`)
      .join('\n')}</sitemapindex>`;

  beforeEach(() => {
    answers['POST /websites/1/urls/uploads'] = { status: 201, body: { upload: { id: 'upl_1' } } };
    answers['POST /websites/1/urls/uploads/upl_1/parts'] = { body: {} };
    answers['POST /websites/1/urls/uploads/upl_1/commit'] = { body: { urls: COUNTS, list_version: 8, ...EXAMPLES } };
    answers['PUT /websites/1/urls/living'] = { body: { urls: COUNTS, list_version: 7, ...EXAMPLES } };
  });

  test('one sitemap is one body, also behind a redirect', async () => {
    files['/s.xml'] = { status: 302, headers: { location: '/moved.xml' } };
    files['/moved.xml'] = { body: urlset };
    expect((await detour('push', `${site.url}/s.xml`)).exit).toBe(0);
    expect(requested('/living')[0]?.body).toBe(urlset);
  });

  test('the sitemaps of an index are the parts of an upload', async () => {
    files['/s.xml'] = { body: index('/1.xml', '/2.xml?a=1&amp;b=2') };
    files['/1.xml'] = { body: urlset };
    files['/2.xml'] = { body: urlset };
    const { exit } = await detour('push', `${site.url}/s.xml`, '--list', 'docs', '--max-removed', '12');
    expect(exit).toBe(0);
    expect(requested('/uploads').map(({ body }) => JSON.parse(body))).toEqual([{ list: 'docs' }]);
    expect(requested('/parts').map(({ query, body }) => [query, body])).toEqual([
      [{ part: '1' }, urlset],
      [{ part: '2' }, urlset],
    ]);
    expect(requested('/commit').map(({ query }) => query)).toEqual([{ max_removed: '12' }]);
  });

  test.each([
    ['a missing part', () => index('/absent.xml'), 'absent.xml cannot be fetched: the response has the status 404'],
    [
      'another origin',
      () => index('https://evil.example/1.xml'),
      'names "https://evil.example/1.xml", which is not on',
    ],
    ['a cut index', () => index('/1.xml').slice(0, -16), 'ends before its end tag'],
    ['an empty index', () => index(), 'names no sitemap'],
  ])('%s commits nothing', async (_what, body, message) => {
    files['/s.xml'] = { body: body() };
    files['/1.xml'] = { body: urlset };
    const { exit, err } = await detour('push', `${site.url}/s.xml`);
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(message) });
    expect([...requested('/commit'), ...requested('/living')]).toEqual([]);
  });
});

describe('check', () => {
  interface Lost {
    url: string;
    weight?: number;
    reason?: string;
    suggested?: string;
    confidence?: string;
    suggestions?: { target: string; score: number }[];
  }
  /** The service: what is lost with the stored lists, and with the body. */
  function lists(before: Lost[], after: Lost[], more: object = {}): void {
    answers['POST /websites/1/urls/check'] = ({ query }) => {
      const lost = query['living'] === 'body' ? after : before;
      if (query['format'] === 'ndjson') return { body: lost.map((row) => `${JSON.stringify(row)}\n`).join('') };
      const check = {
        urls: 9,
        living: 5,
        shadowed: 0,
        redirected: 1,
        gone: 0,
        lost: lost.length,
        none: 1,
        dangling: 0,
      };
      return { body: { check, lost: lost.slice(0, 3), shadowed: [], dangling: [], ...more } };
    };
    answers['POST /redirects/test'] = ({ body }) => ({
      body: {
        results: (JSON.parse(body) as { urls: string[] }).urls.map((url) =>
          url === '/absent/' ? { status_code: 404, redirect_id: null } : { status_code: 301, redirect_id: '4' },
        ),
      },
    });
  }
  const old = (...names: string[]): Lost[] => names.map((name) => ({ url: `/${name}` }));

  test('newly lost URLs are exit code 3', async () => {
    const suggestions = [{ target: '/c', score: 0.8 }];
    const lost = {
      url: '/b',
      weight: 1_200,
      reason: 'dead_end',
      suggested: 'redirect',
      confidence: 'likely',
      suggestions,
    };
    const far = { url: '/d', suggested: 'gone', confidence: 'guess', suggestions: [{ target: '/e', score: 0.01 }] };
    lists(old('a'), [lost, far, ...old('a')], { body: { rows: 4, ignored: 1, invalid: 2 } });
    const { exit, out } = await detour('check', file('urls.txt', '/x'), '--suggest', '5', '--against', '4');
    expect({ exit, out }).toEqual({
      exit: 3,
      out: `2 newly lost URLs:
  /b (weight 1,200; its redirect ends at a page that is gone; likely moved to /c)
  /d
3 rows of the list are invalid or of other hosts
1 URL was lost before this build
9 URLs: 5 living, 0 shadowed, 1 redirected, 0 gone, 3 lost, 1 none, 0 accepted; 0 dangling
`,
    });
    const [stored, built] = requested('/check');
    expect(JSON.parse(stored?.body ?? '')).toEqual({ against: 4 });
    expect(built).toMatchObject({ body: '/x', query: { living: 'body', against: '4', suggest: '5' } });
  });

  test('lists of more rows than an answer has are read to their end', async () => {
    lists(old('a', 'b', 'c', 'd', 'e'), old('a', 'b', 'c', 'd', 'f', 'e'));
    const { exit, out } = await detour('check', file('urls.txt', '/x'), '--json');
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ lost_urls: [{ url: '/f' }], check: { lost: 6, newly_lost: 1 } });
  });

  test('a build that loses nothing is done; broken links fail it only if asked', async () => {
    lists(old('a'), old('a'), { shadowed: [{ url: '/s', redirect_id: 3, kind: 'pattern' }] });
    const { exit, out } = await detour('check', join(SITES, 'hugo'), '--markdown');
    expect(exit).toBe(0);
    expect(out).toContain('### URLs of Shop\n\n```text\nthis build loses no URL\n1 link without a page:\n');
    expect(out).toContain('  guides/install/index.html:12: /absent/\n1 link without an anchor:\n');
    expect(out).toContain('  guides/install/index.html:12: /guides/options/#size\n');
    expect((await detour('check', join(SITES, 'hugo'), '--fail-on-broken-links')).exit).toBe(1);
  });

  test('a link that a redirect answers is not broken', async () => {
    lists([], []);
    const { out } = await detour('check', join(SITES, 'docusaurus'), '--json', '-e', 'staging', '--against', 'draft');
    expect(JSON.parse(out)).toMatchObject({ broken_links: [], missing_anchors: [{ target: '/docs/options#size' }] });
    expect(requested('/test').map(({ body }) => JSON.parse(body))).toEqual([
      { website_id: '1', environment: 'staging', against: 'draft', urls: ['/docs/absent'] },
    ]);
  });

  test('--redirects counts literal rules of the same pull request', async () => {
    lists([], old('a', 'b', 'c', 'd'));
    const rule = (path: string, more: object) => ({
      kind: 'created',
      old_path: path,
      before: null,
      after: { new_path: '/new', status_code: 301, is_regex: false, target_environments: ['production'], ...more },
    });
    const changes = [rule('/a', {}), rule('/b', { new_path: '/d' }), rule('/c', { target_environments: ['staging'] })];
    answers['PUT /websites/1/redirects'] = {
      body: { sync: {}, changes, revision: 1, change_id: null, deployments: [] },
    };
    const { exit, out } = await detour('check', file('urls.txt', '/x'), '--redirects', file('r.csv', 'x'));
    expect(exit).toBe(3);
    expect(out).toContain('3 newly lost URLs:\n  /b\n  /c\n  /d\n1 lost URL is redirected by --redirects\n');
    expect(requested('/redirects')[0]?.query).toMatchObject({ dry_run: 'true' });
  });
});
