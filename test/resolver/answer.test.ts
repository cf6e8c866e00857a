/** The response without a server. test/surfaces/edge/bytes.test.ts has its bytes on the socket. */
import { expect, test } from 'vitest';
import { type Answer, answerVisit, type Visit } from '../../src/resolver/answer.ts';
import { optionsFrom, ruleOf, rulesetOf } from './rules.ts';
import { emptyRuleset } from '../../src/resolver/ruleset.ts';

const ruleset = rulesetOf(['/a -> /b', '/t -> 302 /u', '/gone -> 410', '/law -> 451']);
const options = { ...optionsFrom(), fallbackUrl: null };

const neverAsked = (): number => {
  throw new Error('rules without windows need no time');
};

function answer(target: string, visit: Partial<Visit> = {}, fallbackUrl: string | null = null): Answer {
  const full = { target, method: 'GET', host: 'shop.example', scheme: 'http', redirectTo: null, ...visit };
  return answerVisit(full, ruleset, { ...options, fallbackUrl }, neverAsked, ['X-First', '1']);
}

test('a permanent redirect may be cached for a short time by the browser', () => {
  expect(answer('/a?x=1')).toEqual({
    status: 301,
    headers: [
      ...['X-First', '1', 'X-Redirect-By', 'detour', 'Location', '/b?x=1'],
      ...['Cache-Control', 'private, max-age=90', 'Content-Type', 'text/plain; charset=utf-8', 'Content-Length', '11'],
    ],
    body: '301 /b?x=1\n',
    path: '/a',
    match: expect.objectContaining({ id: 1 }),
    redirectId: 1,
  });
});

test.each([
  ['/t', 302, '302 /u\n', '/u'],
  ['/gone', 410, 'This page is gone.\n', undefined],
  ['/law', 451, 'This page is not available for legal reasons.\n', undefined],
  ['/none', 404, 'No redirect for this path.\n', undefined],
  [`/${'x'.repeat(8_192)}`, 414, 'The path is longer than 8 KiB.\n', undefined],
])('%.10s gets a %i that is not cached', (target, status, body, location) => {
  const found = answer(target);
  const valueOf = (name: string): string | undefined => found.headers[found.headers.indexOf(name) + 1];
  expect([found.status, found.body]).toEqual([status, body]);
  expect([valueOf('Cache-Control'), valueOf('Content-Length')]).toEqual(['no-cache', String(body.length)]);
  expect(found.headers.includes('Location') ? valueOf('Location') : undefined).toBe(location);
});

test('HEAD gets the headers of GET without the body', () => {
  expect(answer('/a', { method: 'HEAD' })).toEqual({ ...answer('/a'), body: '' });
});

test('the fallback gets the path and the query as the client sent them', () => {
  const found = answer('/%7eNone/"?q=%20', {}, 'https://old.example/');
  expect([found.status, found.body]).toEqual([302, '302 https://old.example/%7eNone/"?q=%20\n']);
  expect(answer('*', {}, 'https://old.example/').status).toBe(404);
});

test('the end of a window limits how long the browser caches', () => {
  const draft = emptyRuleset().fork();
  draft.add({ ...ruleOf('/a -> /b', 1), window: { from: null, until: 100_000 } });
  const visit = { target: '/a', method: 'GET', host: 'h', scheme: undefined, redirectTo: null };
  const scheduled = draft.seal();
  const at = (time: number): Answer => answerVisit(visit, scheduled, options, () => time, []);
  expect(at(70_000).headers).toContain('private, max-age=30');
  expect(at(1_000).headers).toContain('private, max-age=90');
  expect(at(100_000).status).toBe(404);
});

test('a domain redirect answers before the rules, with path and query', () => {
  const redirectTo = { url: 'https://new.example', statusCode: 301, keepPath: true };
  expect(answer('/gone?x=1', { redirectTo })).toEqual({
    status: 301,
    headers: [
      ...['X-First', '1', 'X-Redirect-By', 'detour', 'Location', 'https://new.example/gone?x=1'],
      ...['Cache-Control', 'private, max-age=90', 'Content-Type', 'text/plain; charset=utf-8', 'Content-Length', '33'],
    ],
    body: '301 https://new.example/gone?x=1\n',
    path: '/gone',
    match: undefined,
    redirectId: 0,
  });
  const fixed = { ...redirectTo, keepPath: false };
  expect(answer('/gone?x=1', { redirectTo: fixed, method: 'HEAD' })).toMatchObject({ status: 301, body: '' });
  expect(answer('/gone?x=1', { redirectTo: fixed }).body).toBe('301 https://new.example\n');
  expect(answer(`/${'x'.repeat(8_192)}`, { redirectTo })).toMatchObject({ status: 414, path: undefined });
});

test.each([
  [301, 'private, max-age=90'],
  [302, 'no-cache'],
  [307, 'no-cache'],
  [308, 'private, max-age=90'],
])('a domain redirect with the status %i has the Cache-Control of its status', (statusCode, cacheControl) => {
  const found = answer('/', { redirectTo: { url: 'https://new.example', statusCode, keepPath: true } });
  expect([found.status, found.headers.includes(cacheControl)]).toEqual([statusCode, true]);
});
