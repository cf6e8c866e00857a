import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { nodeFetch } from '../../src/edge-agent/node-fetch.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const unaborted = (): AbortSignal => new AbortController().signal;

test('sends method, headers and body, and reads a compressed response', async () => {
  const url = await serve((request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    request.on('data', (chunk) => response.end(gzipSync(`${request.method} ${request.headers['x-a']} ${chunk}`)));
  });
  const response = await nodeFetch(url, { method: 'POST', headers: { 'x-a': 'b' }, body: 'c', signal: unaborted() });
  expect(await response.text()).toBe('POST b c');
});

test('a 304 has headers and no body', async () => {
  const url = await serve((_request, response) => response.writeHead(304, { 'Retry-After': '7' }).end());
  const response = await nodeFetch(url, { headers: {}, signal: unaborted() });
  expect([response.status, response.body, response.headers.get('retry-after')]).toEqual([304, null, '7']);
});

test.each(['identity', 'gzip'])(
  'an abort, and a connection that breaks, fail a %s body with their reason',
  async (encoding) => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).write(encoding === 'gzip' ? gzipSync('half') : 'half');
      if (request.url === '/?break') setTimeout(() => response.destroy(), 20);
    });
    const silent = new AbortController();
    const aborted = await nodeFetch(url, { headers: {}, signal: silent.signal });
    silent.abort(new Error('nothing arrived'));
    await expect(aborted.text()).rejects.toMatchObject({ cause: { message: 'nothing arrived' } });
    const broken = await nodeFetch(`${url}?break`, { headers: {}, signal: unaborted() });
    await expect(broken.text()).rejects.toThrow('aborted');
  },
);
