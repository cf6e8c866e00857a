/** Status, headers and body for each type of rule, and without a rule. Holds the rules of src/surfaces/edge/edge.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { exchange, parseAnswers, rawRequest } from './raw-request.ts';

const HOST = 'answers.example';
const FALLBACK = 'fallback.example';

let detour: TestDetour;
let owner: TestAccount;

const visit = (path: string, method = 'GET') => detour.visit(HOST, path, { method });

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  const site = await createSite(owner, [HOST], { allowed_target_hosts: ['shop.example'] });
  for (const status of [301, 302, 303, 307, 308]) {
    await addRedirect(owner, site, { old_path: `/s${status}`, new_path: `/t${status}`, status_code: status });
  }
  for (const status of [410, 451]) await addRedirect(owner, site, { old_path: `/s${status}`, status_code: status });
  await addRedirect(owner, site, { old_path: '/elsewhere', new_path: 'https://shop.example/x?a=1#top' });
  const withFallback = await createSite(owner, [FALLBACK], { fallback_url: 'https://old.example/base/' });
  await addRedirect(owner, withFallback, { old_path: '/known', new_path: '/to' });
  await settled(owner, site);
  await settled(owner, withFallback);
});

afterAll(() => detour.stop());

describe('a rule', () => {
  test.each([
    [301, 'private, max-age=90'],
    [302, 'no-cache'],
    [303, 'no-cache'],
    [307, 'no-cache'],
    [308, 'private, max-age=90'],
  ])('%i answers with its target, Cache-Control: %s and one line', async (status, cacheControl) => {
    const answer = await visit(`/s${status}`);
    expect([answer.status, answer.location]).toEqual([status, `/t${status}`]);
    expect(answer.headers['cache-control']).toBe(cacheControl);
    expect(answer.headers['x-redirect-by']).toBe('detour');
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.body).toMatch(/^[^\n]+\n$/);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
  });

  test.each([410, 451])('%i answers without Location, with a short body', async (status) => {
    const answer = await visit(`/s${status}`);
    expect([answer.status, answer.location]).toEqual([status, undefined]);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.headers['x-redirect-by']).toBe('detour');
    expect(answer.body.length).toBeGreaterThan(0);
  });

  test('with an address elsewhere keeps its query and has the fragment last', async () => {
    expect((await visit('/elsewhere?a=2&b=3')).location).toBe('https://shop.example/x?a=1&b=3#top');
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('answers %s', async (method) => {
    const answer = await visit('/s307', method);
    expect([answer.status, answer.location]).toEqual([307, '/t307']);
  });

  test('answers HEAD with the same head and no body', async () => {
    for (const path of ['/s301', '/s410', '/none']) {
      const [get, head] = [await visit(path), await visit(path, 'HEAD')];
      expect([head.status, head.location, head.body]).toEqual([get.status, get.location, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(head.headers['cache-control']).toBe(get.headers['cache-control']);
    }
  });

  test('has an X-Request-Id of its own for every answer', async () => {
    const ids: unknown[] = [];
    for (const path of ['/s301', '/s301', '/s410', '/none', `/${'x'.repeat(9_000)}`]) {
      ids.push((await visit(path)).headers['x-request-id']);
    }
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('asks for no credentials and counts no rate', async () => {
    const { headers } = await visit('/s301');
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit') || name === 'set-cookie')).toEqual([]);
  });
});

describe('no rule', () => {
  test('is 404 with a body and no Location', async () => {
    const answer = await visit('/none?x=1');
    expect([answer.status, answer.location]).toEqual([404, undefined]);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body.length).toBeGreaterThan(0);
  });

  test.each([
    ['/none', 'https://old.example/base/none'],
    ['/', 'https://old.example/base/'],
    ['/a/b/?x=1&y=%C3%BC', 'https://old.example/base/a/b/?x=1&y=%C3%BC'],
    ['/a?', 'https://old.example/base/a?'],
    ['//evil.com', 'https://old.example/base//evil.com'],
    ['/a%0d%0aSet-Cookie:x', 'https://old.example/base/a%0d%0aSet-Cookie:x'],
    ['/..%2f..%2fx', 'https://old.example/base/..%2f..%2fx'],
  ])('with fallback_url %s goes on to %s by a 302', async (path, location) => {
    const answer = await detour.visit(FALLBACK, path);
    expect([answer.status, answer.location, answer.headers['cache-control']]).toEqual([302, location, 'no-cache']);
  });

  test('with fallback_url a rule still comes first', async () => {
    expect((await detour.visit(FALLBACK, '/known')).location).toBe('/to');
  });

  test('of OPTIONS * is not sent to fallback_url', async () => {
    const answer = await rawRequest(detour.address, ['OPTIONS * HTTP/1.1', `Host: ${FALLBACK}`]);
    expect([answer.status, answer.headers.get('location')]).toEqual([404, undefined]);
  });
});

describe('a connection', () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${more}\r\n`;

  test('takes requests one after another, pipelined, in their order', async () => {
    const paths = Array.from({ length: 50 }, (_, i) => (i % 2 ? '/s301' : '/s302'));
    const text = paths.map((path) => get(path)).join('') + get('/s410', 'Connection: close\r\n');
    const answers = parseAnswers(await exchange(detour.address, text));
    expect(answers.map(({ status }) => status)).toEqual([...paths.map((path) => Number(path.slice(2))), 410]);
  });

  test('serves a website and the service in turn', async () => {
    const text =
      get('/s301') + 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n' + get('/s302', 'Connection: close\r\n');
    const answers = parseAnswers(await exchange(detour.address, text));
    expect(answers.map(({ status }) => status)).toEqual([301, 200, 302]);
  });

  test('is of use again after a request with a body, and the body is not taken for a request', async () => {
    const smuggled = get('/s410');
    const bodies = [
      `POST /s307 HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `POST /s308 HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ];
    const answers = parseAnswers(
      await exchange(detour.address, bodies.join('') + get('/s302', 'Connection: close\r\n')),
    );
    expect(answers.map(({ status }) => status)).toEqual([307, 308, 302]);
  });

  test('answers a large body before and after it came', async () => {
    const size = 5_000_000;
    const head = `POST /s307 HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${size}\r\n\r\n`;
    const received = await exchange(detour.address, head + 'x'.repeat(size) + get('/s302', 'Connection: close\r\n'));
    expect(parseAnswers(received).map(({ status }) => status)).toEqual([307, 302]);
  });

  test.each([
    ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
  ])('that offers to be upgraded (%s, %s) is answered as it is', async (...offer) => {
    const text = `${['GET /s301 HTTP/1.1', `Host: ${HOST}`, ...offer].join('\r\n')}\r\n\r\n`;
    const received = await exchange(detour.address, text, (soFar) => soFar.includes('/t301\n'));
    expect(parseAnswers(received)[0]?.status).toBe(301);
  });

  test('with Expect: 100-continue gets both responses', async () => {
    const head = `POST /s307 HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx`;
    const received = await exchange(detour.address, head + get('/s302', 'Connection: close\r\n'));
    expect(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')).toMatch(/^HTTP\/1\.1 307 /);
    expect(received).toContain('HTTP/1.1 302 ');
  });

  test('with both Content-Length and Transfer-Encoding is rejected', async () => {
    const head = ['POST /s307 HTTP/1.1', `Host: ${HOST}`, 'Content-Length: 4', 'Transfer-Encoding: chunked'];
    expect((await rawRequest(detour.address, head)).status).toBe(400);
  });
});
