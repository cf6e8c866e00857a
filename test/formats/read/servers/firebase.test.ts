/** Holds the rules of src/formats/read/servers/firebase.ts, firebase-glob.ts and json-entries.ts. */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

const hosting = (...redirects: object[]): string => JSON.stringify({ hosting: { public: 'dist', redirects } });

test('the name or the member hosting decides that a file is of Firebase', async () => {
  expect(await formatOf(hosting())).toBe('firebase');
  expect(await formatOf('{"redirects": []}', 'firebase.json')).toBe('firebase');
  expect(await formatOf('{"redirects": [{"source": "/a"}]}')).toBe('vercel');
});

test('globs, names and expressions become the equal patterns', async () => {
  const { rules, errors, notices } = await readServerFile(
    hosting(
      { source: '/a#b', destination: '/c?d=1#e', type: 302 },
      { source: '/b/*', destination: '/b1' },
      { source: '/c/**', destination: '/c1$1' },
      { source: '**/d/*.html', destination: '/d1' },
      { source: '/e{,/**}', destination: '/e1' },
      { source: '/@(f|g)/?', destination: '/f1' },
      { source: '/h/:id/:rest*', destination: '/h1/:id/:rest', type: 302 },
      { source: '/i/:id(\\d+)', destination: 'https://www.example.com/i1/:id' },
      { regex: '^/j/(?P<year>\\d+)/(x|y)$', destination: '/j1/:2/:year' },
      { regex: '/k/(\\d+)', destination: '/k1/:1' },
    ),
  );
  expect(errors).toEqual([]);
  expect(rules).toEqual([
    '302 /a%23b /c?d=1#e',
    '301 ~^/b/[^/]+$ /b1',
    '301 ~^/c/.*$ /c1$$1',
    String.raw`301 ~^/(?:.*/)?d/[^/]*\.html$ /d1`,
    '301 ~^/e(?:|/.*)$ /e1',
    '301 ~^/(?:f|g)/[^/]$ /f1',
    '302 ~^/h/([^/]+)(/[^/]+(?:/[^/]+)*)?$ /h1/$1$2',
    String.raw`301 ~^/i/(\d+)$ /i1/$1`,
    String.raw`301 ~^/j/(\d+)/(x|y)$ /j1/$2/$1`,
    String.raw`301 ~^/(?:.*/)?k/(\d+).*$ /k1/$1`,
  ]);
  expect(notices).toEqual([
    'NOT_A_REDIRECT public 1',
    'CONVERTED_TO_PATTERN old_path 7',
    'ORDER_DIFFERS line 1 5',
    'HOST_REMOVED new_path 1',
    'PATTERN_ANCHORED old_path 1',
  ]);
});

test('an entry that cannot be expressed is an error row', async () => {
  const { errors } = await readServerFile(
    hosting(
      { source: '/a/!(b)', destination: '/c' },
      { source: '/a/[bc]', destination: '/c' },
      { source: '/a/{b', destination: '/c' },
      { source: '/a/*', destination: '/c/:d' },
      { source: '/a/:b/**', destination: '/c/:b' },
      { source: '/a?b=1', destination: '/c' },
      { regex: '^/a/(.*)$', destination: '/c/:2' },
      { regex: '^/a(?=b)$', destination: '/c' },
      { source: '/a', regex: '^/a$', destination: '/c' },
      { source: '/a', destination: '/c', type: '301' },
      { source: '/a', destination: 'c' },
      { source: 5, destination: '/c' },
      { source: '/a', destination: '/c', host: 'x' },
      [1],
      { source: '/a/:b', destination: '/c' },
    ),
  );
  expect(errors.map((error) => error.split(' ')[1])).toEqual([
    ...Array<string>(8).fill('CONDITION_NOT_SUPPORTED'),
    ...Array<string>(4).fill('MALFORMED_ROW'),
    'CONDITION_NOT_SUPPORTED',
    'MALFORMED_ROW',
    'AMBIGUOUS_WILDCARD',
  ]);
  expect(errors[0]).toBe(
    '1 CONDITION_NOT_SUPPORTED "!(" of a glob cannot be converted; write the redirect with "regex"; statement: {"source":"/a/!(b)","destination":"/c"}',
  );
});

test('hosting may be a list with the redirects of one site, and other members are counted', async () => {
  const site = { target: 'shop', redirects: [{ source: '/a', destination: '/b' }], rewrites: [{ redirects: [1] }] };
  const { rules, notices } = await readServerFile(JSON.stringify({ functions: {}, hosting: [{ site: 'x' }, site] }));
  expect(rules).toEqual(['301 /a /b']);
  expect(notices).toEqual([
    ...['functions', 'site', 'target', 'rewrites'].map((member) => `NOT_A_REDIRECT ${member} 1`),
  ]);
  await expect(readServerFile(JSON.stringify({ hosting: [site, site] }))).rejects.toThrow('several sites');
});

test.each([
  ['{"hosting": {"redirects": [{"source": "/a"', 'the JSON ends before it is complete'],
  ['{"hosting": {}}', 'the file of Firebase has no list hosting.redirects'],
  ['{"hosting": "dist", "redirects": [{"source": "/a", "destination": "/b"}]}', 'hosting.redirects'],
  ['{"hosting": {"redirects": {"source": "/a"}}}', 'hosting.redirects'],
  ['{"hosting": {"redirects": [}', 'unexpected "}"'],
  [`{"hosting": {"redirects": [${'['.repeat(60)}`, 'nested too deeply'],
])('%j is rejected as a whole', async (content, message) => {
  await expect(readServerFile(content, { fileName: 'firebase.json' })).rejects.toThrow(message);
});
