/** Holds the rules of src/formats/read/servers/nginx/nginx-map.ts, nginx-target.ts, nginx-tokens.ts and nginx.ts. */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

test.each([
  ['server {\n', 'nginx'],
  ['# x\nlocation = /a { return 301 /b; }', 'nginx'],
  ['map $uri $new {\n', 'nginx'],
  ['rewrite ^/a$ /b permanent;', 'nginx'],
  ['location,target\n/a,/b', undefined],
])('the content %j is recognized as %s', async (content, format) => {
  expect(await formatOf(content)).toBe(format);
});

test.each([
  ['location = /a { return 301 /b; }', '301 /a /b'],
  ['location = "/a b" { return 302 "/c d"; }', '302 /a b /c d'],
  ['location /a/ { return 301 https://other.example$request_uri; }', '301 ~^/(a/.*)$ https://other.example/$1'],
  ['location ~ ^/a/(\\d+)$ { return 301 /b/$1; }', String.raw`301 ~^/a/(\d+)$ /b/$1`],
  ['location ~ \\.php$ { return 410; }', String.raw`410 ~^/.*\.php$ -`],
  ['rewrite ^/a$ /b permanent;', '301 /a /b'],
  ['rewrite ^/a/(.*)$ https://other.example/$1? redirect;', '302 ~^/a/(.*)$ https://other.example/$1'],
  ['rewrite ^(.*)$ https://other.example$1;', '302 ~^/(.*)$ https://other.example/$1'],
  ['server { rewrite ^ https://other.example$request_uri permanent; }', '301 ~^/(.*)$ https://other.example/$1'],
  ['location = /a { rewrite ^ /b permanent; }', '301 /a /b'],
  ['map $uri $new { /a /b; }', '301 /a /b'],
  ['if ($new) { return 308 $scheme://$host$new; } map $uri $new { /a /b; }', '308 /a /b'],
  [
    'map $detour_path $detour_rule { "~^/p/(?<detour_group1>\\\\d+)\\\\z" "301 * /q/${detour_group1} "; }',
    String.raw`301 ~^/p/(\d+)$ /q/$1`,
  ],
  ['map $uri $new { ~^/a/(?<rest>.*)$ /b/$rest; }', '301 ~^/a/(.*)$ /b/$1'],
])('%j is the rule %s', async (content, rule) => {
  const { rules, errors } = await readServerFile(content, { fileName: 'nginx.conf' });
  expect([rules, errors]).toEqual([[rule], []]);
});

test.each([
  ['if ($host = a.example) { return 301 /b; }', 'inside an if'],
  ['location = /a { return 301 /b/$arg_id; }', '$arg_id'],
  ['location /a/ { rewrite ^/b/(.*)$ /c permanent; }', 'differ'],
  ['location = /a { return 301 /b }', '";" is missing'],
  ['location = /a%20b { return 301 /b; }', 'decoded'],
  ['location = /a { return 301 "/b; }', 'does not end'],
  ['rewrite ^/a(?=b) /c permanent;', 'lookahead'],
  ['return 301 https://$host$request_uri;', 'to itself'],
  ['rewrite ^/a\\sb$ /c permanent;', 'decoded paths'],
])('%j is an error that says %s', async (content, reason) => {
  const { rules, errors } = await readServerFile(content, { fileName: 'nginx.conf' });
  expect(rules).toEqual([]);
  expect(errors[0]).toContain(reason);
});

test('a server that only changes scheme or host hides no other one, and one of another host is no rule', async () => {
  const { rules, errors, notices } = await readServerFile(
    `server { server_name example.com www.example.com; return 301 https://www.example.com$request_uri; }
server { server_name example.com; return 301 https://$host$request_uri; }
server { server_name www.example.com; location = /a { return 301 https://$host/b; } rewrite (?i)^/C$ /d permanent; }
server { server_name *.other.example; location = /e { return 301 /f; } }`,
  );
  expect(rules).toEqual(['301 /a /b', '301 ~^/(?i)C$ /d']);
  expect(errors).toEqual([
    expect.stringMatching(/^1 .*to itself/),
    expect.stringMatching(/^2 .*to itself/),
    expect.stringMatching(/^4 .*server_name \*\.other\.example is not a host/),
  ]);
  expect(notices).toContain('HOST_REMOVED new_path 1');
});

test('a location that equals the path comes before expressions, whatever their lines', async () => {
  const { rules, errors } = await readServerFile(
    'location ~ ^/a { return 301 /x; }\nlocation = /ab { return 301 /y; }\nrewrite ^/abc /z permanent;\nlocation = /abcd { return 301 /q; }',
  );
  expect(rules.map((rule) => rule.split(' ')[2])).toEqual(['/x', '/y', '/z']);
  expect(errors).toEqual([expect.stringMatching(/^4 ORDER_CONFLICT line 3 /)]);
});

test('hostile files end quickly with errors', async () => {
  const started = performance.now();
  const { errors } = await readServerFile(
    `server { ${'location /a { '.repeat(5_000)}\nreturn 301 "${'x'.repeat(200_000)}`,
  );
  expect(errors.length).toBeGreaterThan(1);
  expect(performance.now() - started).toBeLessThan(5_000);
});
