/** The expression of a rule with a required query, compared with the resolver, and the lines that servers have for it. */
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { SERVER_FORMATS } from '../../../../src/formats/write/export-formats.ts';
import { literalRule } from '../../../../src/formats/write/servers/literal-rule.ts';
import { createNameSets } from '../../../../src/formats/write/servers/passed-query.ts';
import { requiredExpression, restText } from '../../../../src/formats/write/servers/required-query.ts';
import { canonicalPair, rawParameters } from '../../../../src/resolver/spelling/query.ts';
import { locationFor } from '../../../../src/resolver/target.ts';
import { serverSite, targetedRule } from './server-rule.ts';

const PAIRS = ['k=1', 'k', '=v', 'a%20b=%2B%3D', 'q%5B%5D=%22%7B%5C%60', 'u=http://e.example/a.pdf?x', 'v=%C3%A9', '='];
const QUERIES = [
  ...['k=1', '%6b=%31', 'x=2&k=1&y', 'k=1x', 'kk=1', 'K=1', 'k=2&&k=1&', 'k', 'k=', 'x&k&y=1', '=v', 'v', 'a+b=%2b='],
  ...[
    'a%20b=%2B%3d',
    'a b=++',
    'q[]="{\\`',
    'q%5b]=%22%7B%5c%60&z=1',
    'u=http%3A%2F%2Fe.example%2fa.pdf%3Fx',
    'v=%c3%A9',
  ],
  ...['u=http://e.example/a.pdf?x&v=%C3%A9', 'u=http://e.example/axpdf?x', '=', '', '&'],
];

test.each(PAIRS)('%s is required as the resolver does, in the dialects of all servers', (pair) => {
  const site = serverSite();
  const rule = literalRule(targetedRule({ key: `/a.b?${pair}` }), site);
  if ('reason' in rule) throw new Error(rule.reason);
  const expression = requiredExpression(rule, site.website);
  const re2 = RE2JS.compile(expression);
  for (const query of QUERIES) {
    const isRequired = rawParameters(query).some((each) => canonicalPair(each) === pair);
    const found = new RegExp(expression.replace('(?i:', '(?:')).exec(`/a.b/ &${query}`);
    const matcher = re2.matcher(`/a.b/ &${query}`);
    expect([query, found !== null, matcher.matches()]).toEqual([query, isRequired, isRequired]);
    if (!found) continue;
    const [rest, other] = [
      restText(site.website, (group) => found[group] ?? ''),
      restText(site.website, (group) => matcher.group(group) ?? ''),
    ];
    expect(other).toBe(rest);
    const passed = rawParameters(rest).join('&');
    expect(`/b${passed === '' ? '' : `?${passed}`}`, query).toBe(locationFor('/b', query, 'pass', [pair]));
  }
  expect(re2.matcher(`/axb &${pair}`).matches()).toBe(false);
});

test('other parameters are refused if the query of the website is exact', () => {
  const site = serverSite({ query: 'exact', caseSensitive: false });
  const rule = literalRule(targetedRule({ key: '/a?k=1' }), site);
  if ('reason' in rule) throw new Error(rule.reason);
  const expression = RE2JS.compile(requiredExpression(rule, site.website));
  const texts = ['/A &k=1', '/a/ &k=1&&%6B=1&', '/a &k=1&x', '/a &K=1', '/a &'];
  expect(texts.map((text) => expression.matcher(text).matches())).toEqual([true, true, false, false, false]);
});

describe('a required query', () => {
  const site = serverSite();
  const lines = (name: keyof typeof SERVER_FORMATS, newPath: string | null = '/b#f') => {
    const rule = literalRule(targetedRule({ key: '/a?k', newPath, statusCode: newPath === null ? 410 : 301 }), site);
    return 'reason' in rule ? rule : SERVER_FORMATS[name].rule(rule, site, createNameSets());
  };
  const expression = '^(?:/a|/a/) ((?:&+[^&]+)*?)&+(?:k|%6[Bb])=?((?:&.*)?)$';

  test('is written by nginx', () => {
    const named = expression.replace(' ((', ' (?<detour_rest1>(').replace('?((', '?(?<detour_rest2>(');
    expect(lines('nginx')).toBe(`    "~${named}" "\${detour_rest1}\${detour_rest2} 301 * /b #f";\n`);
  });

  test('is written by Apache', () => {
    const match = `RewriteCond "%{ENV:DETOUR_PATH} &%{QUERY_STRING}" "${expression}"\n`;
    expect(lines('apache')).toBe(
      `${match}RewriteCond "%1%2" "^&+([^&].*)$"\nRewriteRule ^ "/b?%1#f" [R=301,L,NE]\n${match}RewriteRule ^ "/b#f" [R=301,L,NE,QSD]\n`,
    );
    expect(lines('apache', null)).toBe(`${match}RewriteRule ^ - [R=410,L]\n`);
    expect(lines('apache', '/b?j=1')).toContain('RewriteCond "%1%2" "^(?:(');
  });

  test('is written by Caddy', () => {
    expect(lines('caddy')).toBe(`\t\t\`~${expression}\` \`\${1}\${2} 301 /b #f\`\n`);
  });

  test.each(['netlify', 'vercel', 'cloudflare'] as const)('is omitted in %s', (name) => {
    expect(lines(name)).toEqual({ reason: 'it requires a query' });
  });
});

test('nginx omits an expression that is too long', () => {
  const site = serverSite();
  const rule = literalRule(targetedRule({ key: `/a?k=${'a'.repeat(500)}` }), site);
  if ('reason' in rule) throw new Error(rule.reason);
  expect(SERVER_FORMATS.nginx.rule(rule, site, createNameSets())).toHaveProperty('reason');
});
