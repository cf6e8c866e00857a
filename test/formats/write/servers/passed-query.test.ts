/** The expression that removes parameters from a query, compared with the resolver. */
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { keptQuery, keptText, ownNames } from '../../../../src/formats/write/servers/passed-query.ts';
import { locationFor } from '../../../../src/resolver/target.ts';

const TARGETS = ['/b?k=1', '/b?view=a&q[]=1', '/b?a+b=1&%C3%A9=2', '/b?k.x=1&k=2', '/b?x?y=1', '/b?a%26b=1'];
const QUERIES = [
  'a=1',
  'k=2&a=1&k&b',
  '%6b=2&%6B=3&kk=1',
  'q%5B%5D=1&q[]=2&q%5b]=3&q=4',
  'a%20b=1&a+b=2&ab=3&%C3%A9=1&%c3%a9=2',
  'kax=1&k.x=2&k%2Ex=3',
  'x?y=1&x%3Fy=2&u=a?b',
  'a&b=1&a%26b=2',
  'k=1&x&k=2&y&k=3&k=4&z&k=5&k=6&end=k',
];

test.each(TARGETS)('a query is appended to %s as the resolver does, in the dialects of all servers', (target) => {
  const names = ownNames(target);
  if ('reason' in names) throw new Error(names.reason);
  const expression = `^${keptQuery(names)}$`;
  const javaScript = new RegExp(expression);
  const re2 = RE2JS.compile(expression);
  for (const query of QUERIES) {
    const wanted = locationFor(target, query, 'pass', []);
    const found = javaScript.exec(`&${query}`);
    expect(target + keptText((group) => found?.[group] ?? ''), query).toBe(wanted);
    const matcher = re2.matcher(`&${query}`);
    expect(matcher.matches()).toBe(true);
    expect(target + keptText((group) => matcher.group(group) ?? ''), query).toBe(wanted);
  }
});
