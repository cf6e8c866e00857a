/**
 * Holds the rules of src/formats/read/servers/apache/apache-alias.ts, apache-conditions.ts, apache-lines.ts,
 * apache-rewrite.ts, apache.ts, src/formats/read/servers/order.ts and search-pattern.ts.
 */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

const rulesOf = async (content: string, fileName = '.htaccess') => (await readServerFile(content, { fileName })).rules;
const errorsOf = async (content: string, fileName = '.htaccess') =>
  (await readServerFile(content, { fileName })).errors;

test.each([
  ['Redirect 301 /a /b', 'apache'],
  ['Options -Indexes\n\nRewriteEngine on', 'apache'],
  ['<IfModule mod_rewrite.c>\n', 'apache'],
  ['redirectmatch ^/a$ /b', 'apache'],
  ['Redirect from,Redirect to\n/a,/b', undefined],
])('the content %j is recognized as %s', async (content, format) => {
  expect(await formatOf(content)).toBe(format);
});

test.each([
  // A Redirect is a prefix, at a border of segments.
  ['Redirect /a /b', '302 ~^/a(/.*)?$ /b$1'],
  ['Redirect 308 /a/ /b/', '308 ~^/a/(.*)$ /b/$1'],
  ['Redirect permanent / https://other.example/', '301 ~^/(.*)$ https://other.example/$1'],
  ['Redirect seeother "/a b" https://other.example', '303 ~^/a b(?:/(.*))?$ https://other.example/$1'],
  ['RedirectPermanent /a.b /c$d', String.raw`301 ~^/a\.b(/.*)?$ /c$$d$1`],
  ['Redirect gone /a', '410 ~^/a(/.*)?$ -'],
  // Expressions are searched.
  ['RedirectMatch 301 /a /b', '301 ~^/(?:.*/)?a.*$ /b'],
  ['RedirectMatch ^/a\\.html$ /b', '302 /a.html /b'],
  ['RedirectMatch 301 (.*)\\.gif$ /i$1.png', String.raw`301 ~^/(.*)\.gif$ /i/$1.png`],
  ['RedirectMatch 301 ^(/a/.*)$ https://other.example$1', '301 ~^/(a/.*)$ https://other.example/$1'],
  // A RewriteRule of an .htaccess sees no leading slash.
  ['RewriteRule ^a$ /b [R=301,L]', '301 /a /b'],
  ['RewriteRule a /b [R]', '302 ~^/.*a.*$ /b'],
  ['RewriteRule ^ /b [R=301]', '301 ~^/.*$ /b'],
  ['RewriteRule ^$ /home [R=301]', '301 / /home'],
  ['RewriteRule ^(.*)$ https://other.example/$1 [R=301]', '301 ~^/(.*)$ https://other.example/$1'],
  ['RewriteRule ^/?a/(x|y)$ /$1 [R=permanent]', '301 ~^/a/(x|y)$ /$1'],
  ['RewriteRule ^a$|^b$ /c [R=303]', '303 ~^/(?:a|b)$ /c'],
  ['RewriteRule ^a\\ b$ /c [R=301]', '301 /a b /c'],
  ['RewriteRule ^a$ /b#c [R=301]', '301 /a /b%23c'],
  ['RewriteRule ^a$ /b#c [R=301,NE]', '301 /a /b#c'],
  ['RewriteBase /shop/\nRewriteRule ^a$ b [R=301]', '301 /a /shop/b'],
  ['RewriteRule ^a(.*)$ https://other.example%{REQUEST_URI} [R=301]', '301 ~^/(a(.*))$ https://other.example/$1'],
  ['RewriteRule ^(a)$ /$12 [R=301]', '301 ~^/(a)$ /${1}2'],
  ['RewriteCond %{HTTP_HOST} example\\.com$\nRewriteRule ^a$ /b [R=301]', '301 /a /b'],
  ['RewriteCond %{QUERY_STRING} ^id=1&x=2$\nRewriteRule ^a$ /b [R=301]', '301 /a?id=1&x=2 /b?id=1&x=2'],
  ['RewriteRule ^a(.*)$ /b/$1REQUEST_URI [R=301]', '301 ~^/a(.*)$ /b/$1REQUEST_URI'],
  ['RewriteCond %{REQUEST_URI} ^/a/(.*)$\nRewriteRule ^ /b/%1 [R=301]', '301 ~^/a/(.*)$ /b/$1'],
  ['RewriteRule ^a \\\n  /b \\\n  [R=301]', '301 ~^/a.*$ /b'],
  ['RewriteRule ^a$ - [G]', '410 /a -'],
  // A URL of another host is a redirect without the flag R.
  ['RewriteRule ^a/(.*)$ https://other.example/$1 [L]', '302 ~^/a/(.*)$ https://other.example/$1'],
  ['RewriteRule (?i)^a$ /b [R=301]', '301 ~^/(?i)a$ /b'],
  ['RedirectMatch 301 (?i)/a$ /b', '301 ~^/(?i)(?:.*/)?a$ /b'],
  // The group is empty for /index.html.
  ['RedirectMatch 301 ^(.*)/index\\.html$ $1/', String.raw`301 ~^/((?:.*/)?)index\.html$ /$1`],
  ['RedirectMatch 410 ^(.*)/x$', '410 ~^/((?:.*/)?)x$ -'],
  ['RedirectMatch 301 ^(.+)/x$ $1/y', '301 ~^/(.*)/x$ /$1/y'],
  ['RedirectMatch 301 ^(.*)/x$ $1.html', '301 ~^/(.*)/x$ /$1.html'],
  // As a path, the target would be the source.
  ['Redirect 301 /a https://example.com/a', '301 ~^/a(/.*)?$ https://example.com/a$1'],
  ['DocumentRoot "/www/"\n<Directory /www>\nRewriteRule ^a$ /b [R=301]\n</Directory>', '301 /a /b'],
])('%j is the rule %s', async (content, rule) => {
  expect(await rulesOf(content)).toEqual([rule]);
});

test.each([
  ['Redirect 301 /a%20b /c', 'decoded paths'],
  ['Redirect 301 /a', 'the target is missing'],
  ['Redirect 404 /a', 'a 404 is not a redirect'],
  ['RewriteRule ^/a$ /b [R=301]', 'remove the slash'],
  ['RewriteRule ^a$ b [R=301]', 'RewriteBase'],
  ['RewriteRule ^a$ /b [R=301,C]', 'the flag C'],
  ['RewriteRule ^a/(.*)$ /b?x=$1 [R=301,B]', 'the flag B'],
  ['RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301]', 'to itself'],
  ['RewriteRule ^a\\sb$ /c [R=301]', 'decoded paths'],
  ['RewriteRule (^|/)a$ /c [R=301]', '"^" inside'],
  ['RewriteRule \\Aa$ /c [R=301]', '"^" inside'],
  ['DocumentRoot /www\n<Directory /www/blog>\nRewriteRule ^a$ /b [R=301]\n</Directory>', '/www/blog'],
  ['RewriteRule !^a$ /b [R=301]', 'negated'],
  ['RewriteRule ^a$ /b/%{HTTP_HOST} [R=301]', 'HTTP_HOST'],
  ['RewriteRule ^a(?=b) /c [R=301]', 'lookahead'],
  ['RewriteCond %{HTTP_HOST} ^other\\.example$\nRewriteRule ^a$ /b [R=301]', 'host'],
  ['RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^a$ /b [R=301]', 'REQUEST_FILENAME'],
  ['RewriteCond %{QUERY_STRING} id=1\nRewriteRule ^a$ /b [R=301]', 'exact pairs'],
  ['RewriteCond %{REQUEST_URI} ^/a [OR]\nRewriteRule ^ /b [R=301]', 'OR'],
  ['<Location /x>\nRedirect 301 /a /b\n</Location>', '<location>'],
  ['<VirtualHost *:80>\nServerName other.example\nRedirect 301 /a /b\n</VirtualHost>', 'other.example'],
  ['RewriteEngine off\nRewriteRule ^a$ /b [R=301]', 'off'],
  ['Redirect 301 /b /c\n</IfModule>', '</IfModule>'],
])('%j is an error that says %s and quotes the statement', async (content, reason) => {
  const [error = ''] = await errorsOf(content);
  expect(error).toContain(reason);
  expect(error).toContain(
    content.includes('</If') ? '</IfModule>' : (/Re(?:direct|writeRule) .*/.exec(content)?.[0] ?? '-'),
  );
});

test('other directives, and rules for servers without mod_rewrite, are counted', async () => {
  const { rules, errors, notices } = await readServerFile(
    'RewriteEngine On\nHeader set A b\nHeader set B c\nRewriteRule ^a$ /b [L]\n<IfModule !mod_rewrite.c>\nRedirect 301 /a /b\n</IfModule>',
    { fileName: '.htaccess' },
  );
  expect([rules, errors]).toEqual([[], []]);
  expect(notices).toEqual([
    'NOT_A_REDIRECT RewriteEngine 1',
    'NOT_A_REDIRECT Header 2',
    'NOT_A_REDIRECT RewriteRule 1',
    'NOT_A_REDIRECT IfModule 1',
  ]);
});

test('every RewriteRule comes before any Redirect, and a partial difference is a notice', async () => {
  const { rules, errors, notices } = await readServerFile(
    'Redirect 301 /a /b\nRewriteRule ^a$ /c [R=301]\nRedirect 301 /d /e\nRewriteRule \\.php$ /f [R=301]\nRewriteRule ^d /g [R=301]',
    { fileName: '.htaccess' },
  );
  expect(rules.map((rule) => rule.split(' ')[2])).toEqual(['/b$1', '/c', '/f', '/g']);
  expect(errors).toEqual([expect.stringMatching(/^3 ORDER_CONFLICT line 5 matches all paths of this line/)]);
  expect(notices.filter((notice) => notice.startsWith('ORDER'))).toEqual([
    'ORDER_DIFFERS line 1 1',
    'ORDER_DIFFERS line 5 1',
  ]);
});

test('internal rewrites and proxied requests are counted, as is a removed host', async () => {
  const { rules, notices } = await readServerFile(
    'RewriteRule ^a$ https://example.com/b\nRewriteRule ^c$ https://other.example/d [P]\nRewriteRule ^e$ https://%{HTTP_HOST}/f [R=301]',
    { fileName: '.htaccess' },
  );
  expect(rules).toEqual(['301 /e /f']);
  expect(notices).toEqual(expect.arrayContaining(['NOT_A_REDIRECT RewriteRule 2', 'HOST_REMOVED new_path 1']));
});

test('hostile files end quickly with errors', async () => {
  const deep = '<IfModule a>\n'.repeat(5_000);
  const nested = `RewriteRule ^${'('.repeat(500)}a${')'.repeat(500)}$ /b [R=301]\n`;
  const conditions = 'RewriteCond %{HTTP_HOST} ^((a+)+)+$\n'.repeat(300);
  const bomb = `RewriteRule ^${'(a*)*'.repeat(50)}$ /b [R=301]\n`;
  const started = performance.now();
  const { errors } = await readServerFile(`${deep}${nested}${bomb}${conditions}${bomb}`, { fileName: '.htaccess' });
  expect(errors.length).toBeGreaterThan(4_900);
  expect(performance.now() - started).toBeLessThan(5_000);
});
