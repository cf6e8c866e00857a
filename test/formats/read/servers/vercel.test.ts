/** Holds the rules of src/formats/read/servers/json-entries.ts and path-pattern.ts. */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

const read = async (entry: object, fileName = 'vercel.json') => {
  const { rules, errors } = await readServerFile(JSON.stringify({ redirects: [entry] }), { fileName });
  return [...rules, ...errors].join('\n');
};

test.each([
  ['{"redirects": []}', '', 'vercel'],
  ['[{"source": "/a", "destination": "/b", "permanent": true}]', '', 'next'],
  ['[{"source": "/a", "destination": "/b", "caseSensitive": true}]', '', 'vercel'],
  ['{"redirects": []}', 'next.config.json', 'next'],
  ['{"name": "x"}', '', undefined],
])('the content %j named %j is recognized as %s', async (content, name, format) => {
  expect(await formatOf(content, name)).toBe(format);
});

test('a program is an error that says what to do', async () => {
  await expect(formatOf('module.exports = {}', 'next.config.js')).rejects.toThrow();
});

test.each([
  [{ source: '/a', destination: '/b' }, '308 /a /b'],
  [{ source: '/a', destination: '/b', permanent: false }, '307 /a /b'],
  [{ source: '/a/:x', destination: '/b/:x' }, '308 ~^/a/([^/]+)$ /b/$1'],
  [{ source: '/a/:x*', destination: '/b/:x*' }, '308 ~^/a(/[^/]+(?:/[^/]+)*)?$ /b$1'],
  [{ source: '/a/:x', destination: '/b/:x?from=:x' }, '308 ~^/a/([^/]+)$ /b/$1?from=$1'],
  [{ source: '/a/:x?', destination: '/b/:x?' }, '308 ~^/a(/[^/]+)?$ /b$1'],
  [
    { source: '/:x*', destination: 'https://other.example/:x*' },
    '308 ~^/([^/]+(?:/[^/]+)*)?$ https://other.example/$1',
  ],
  [{ source: '/a/(.*)', destination: '/b/$1' }, '308 ~^/a/(.*)$ /b/$1'],
  [{ source: '/a-:id(\\d+)', destination: '/b$c/:id' }, String.raw`308 ~^/a-(\d+)$ /b$$c/$1`],
  [{ source: '/a', destination: '/b', has: [{ type: 'query', key: 'q', value: '1' }] }, '308 /a?q=1 /b?q=1'],
])('%j is the rule %s', async (entry, rule) => {
  expect(await read(entry)).toBe(rule);
});

test.each([
  [{ source: '/a', destination: '/b', has: [{ type: 'host', value: 'x' }] }, 'a "has" cannot'],
  [{ source: '/a', destination: '/b', missing: [] }, '"missing"'],
  [{ source: '/a', destination: '/b', statusCode: 200 }, '"statusCode" is 200'],
  [{ source: '/a', destination: '/b/:x', permanent: true }, ''],
  [{ source: '/a/:y', destination: '/b/:x' }, '/:x of the destination'],
  [{ source: '/a{-:x}?', destination: '/b' }, '"{"'],
  [{ destination: '/b' }, 'source'],
])('%j says %s', async (entry, reason) => {
  expect(await read(entry)).toContain(reason);
});

test('a parameter that may be absent leaves the slash after the host of the target', async () => {
  const { rules } = await readServerFile(
    JSON.stringify([
      { source: '/a/:path*', destination: 'https://other.example/:path*', permanent: true },
      { source: '/:path*', destination: 'https://other.example/:path*', permanent: true },
      { source: '/b/:path*', destination: 'https://other.example/c/:path*', permanent: true },
    ]),
    { fileName: 'vercel.json' },
  );
  expect(rules).toEqual([
    '308 ~^/a(?:/([^/]+(?:/[^/]+)*))?$ https://other.example/$1',
    '308 ~^/([^/]+(?:/[^/]+)*)?$ https://other.example/$1',
    '308 ~^/b(/[^/]+(?:/[^/]+)*)?$ https://other.example/c$1',
  ]);
});

test('an error has the physical line of its entry, and other members are counted', async () => {
  const { rules, errors, notices } = await readServerFile(
    '{\n  "headers": [{ "a": [1, 2] }],\n  "redirects": [\n    { "source": "/a", "destination": "/b" },\n    {\n      "source": "/c"\n    }\n  ],\n  "cleanUrls": true\n}\n',
  );
  expect(rules).toEqual(['308 /a /b']);
  expect(errors).toEqual(['5 MALFORMED_ROW "destination" is missing; add it; statement: { "source": "/c" }']);
  expect(notices).toEqual(['NOT_A_REDIRECT headers 1', 'NOT_A_REDIRECT cleanUrls 1']);
});

test.each([
  ['{"redirects": [{"source": "/a"', 'ends before'],
  ['{"redirects": [{"source": "/a"}]} x', 'after the end'],
  ['{"redirects": [{"source": oops}]}', 'not JSON'],
  [`{"redirects": ${'['.repeat(5_000)}`, 'nested'],
  [`[{"source": "${'x'.repeat(60_000)}\n${'x'.repeat(60_000)}"}]`, '64 KiB'],
  ['{"redirects": 5, "source": 1}', 'no list'],
])('%j rejects the file', async (content, reason) => {
  await expect(readServerFile(content, { fileName: 'vercel.json' })).rejects.toMatchObject({
    details: expect.stringContaining(reason),
  });
});
