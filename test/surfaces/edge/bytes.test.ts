/** Every type of response as bytes on the socket: status line, order and spelling of headers, body. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { exchange } from './raw-request.ts';

const HOST = 'bytes.example';
const FALLBACK = 'fallback-bytes.example';

let detour: TestDetour;

beforeAll(async () => {
  detour = await sharedTestDetour();
  const owner = await detour.account();
  const site = await createSite(owner, [HOST], { allowed_target_hosts: ['shop.example'] });
  for (const status of [301, 302, 303, 307, 308])
    await addRedirect(owner, site, { old_path: `/s${status}`, new_path: `/t${status}`, status_code: status });
  for (const status of [410, 451]) await addRedirect(owner, site, { old_path: `/s${status}`, status_code: status });
  await addRedirect(owner, site, { old_path: '/elsewhere', new_path: 'https://shop.example/größe?a=1#top' });
  await addRedirect(owner, site, { old_path: '^/p/(.*)$', new_path: '/q/$1', is_regex: true });
  const withFallback = await createSite(owner, [FALLBACK], { fallback_url: 'https://old.example/base/' });
  await settled(owner, site);
  await settled(owner, withFallback);
});

afterAll(() => detour.stop());

const ends = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const one = (line: string, ...more: string[]): string => ends(line, ...more, 'Connection: close');
const get = (path: string, host = HOST): string => one(`GET ${path} HTTP/1.1`, `Host: ${host}`);

const REQUESTS: Record<string, () => string> = {
  '301': () => get('/s301'),
  '302': () => get('/s302'),
  '303': () => get('/s303'),
  '307': () => get('/s307'),
  '308': () => get('/s308'),
  '410': () => get('/s410'),
  '451': () => get('/s451'),
  '404': () => get('/none?x=1'),
  'a target elsewhere': () => get('/elsewhere?a=2&b=%20'),
  'a pattern': () => get('/p/x%20y'),
  'the fallback': () => get('/none?x="1"', FALLBACK),
  HEAD: () => one('HEAD /s301 HTTP/1.1', `Host: ${HOST}`),
  'HEAD of 410': () => one('HEAD /s410 HTTP/1.1', `Host: ${HOST}`),
  'HEAD of 404': () => one('HEAD /none HTTP/1.1', `Host: ${HOST}`),
  'POST with a body': () => `${one('POST /s307 HTTP/1.1', `Host: ${HOST}`, 'Content-Length: 4')}body`,
  'POST with chunks': () =>
    `${one('POST /s307 HTTP/1.1', `Host: ${HOST}`, 'Transfer-Encoding: chunked')}4\r\nbody\r\n0\r\n\r\n`,
  'a path over 8 KiB': () => get(`/${'a'.repeat(8_192)}`),
  'two hosts': () => one('GET /s301 HTTP/1.1', `Host: ${HOST}`, 'hOST: unknown.example'),
  'two hosts, HEAD': () => one('HEAD /s301 HTTP/1.1', `Host: ${HOST}`, `Host: ${HOST}`),
  'absolute form': () => get(`http://user@${HOST.toUpperCase()}:80/s302?q=1`, 'unknown.example'),
  'OPTIONS *': () => one('OPTIONS * HTTP/1.1', `Host: ${HOST}`),
  'OPTIONS * of a fallback': () => one('OPTIONS * HTTP/1.1', `Host: ${FALLBACK}`),
  'a host in upper case with port': () => get('/s301', `${HOST.toUpperCase()}.:8080`),
  'HTTP/1.0': () => ends('GET /s301 HTTP/1.0', `Host: ${HOST}`),
  'HTTP/1.0 with keep-alive': () =>
    ends('GET /s301 HTTP/1.0', `Host: ${HOST}`, 'Connection: keep-alive') + ends('GET /s302 HTTP/1.0', `Host: ${HOST}`),
  'keep-alive, pipelined': () =>
    ends('GET /s301 HTTP/1.1', `Host: ${HOST}`) +
    `${ends('POST /s307 HTTP/1.1', `Host: ${HOST}`, 'Content-Length: 31')}GET /s301 HTTP/1.1\r\nHost: x\r\n\r\n` +
    ends('HEAD /none HTTP/1.1', `Host: ${HOST}`) +
    ends('GET /s301 HTTP/1.1', `Host: ${HOST}`, `Host: ${HOST}`) +
    get('/s410'),
};

test('each response has the recorded bytes', async () => {
  const recorded: string[] = [];
  for (const [name, request] of Object.entries(REQUESTS)) {
    const received = await exchange(detour.address, request());
    const masked = received
      .replaceAll(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gm, 'Date: (date)\r')
      .replaceAll(/^X-Request-Id: [\w-]{10,}\r$/gm, 'X-Request-Id: (id)\r');
    recorded.push(`## ${name}\n${masked.replaceAll('\r\n', '\\r\\n\n')}`);
  }
  await expect(`${recorded.join('\n')}\n`).toMatchFileSnapshot('bytes.txt');
});
