/**
 * Invalid HTTP, and the client's address behind proxies. Holds the rules of src/http/server/malformed.ts,
 * trusted-proxy.ts and server-options.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { MALFORMED, rawResponse } from '../../support/raw-http.ts';

let detour: TestApp;
let address: string;
beforeAll(async () => {
  detour = await startTestApp();
  address = await detour.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => detour.close());

describe('bytes that are no request', () => {
  test.each(MALFORMED)('%s: our error body, then the end of the connection', async (_what, text, status, code) => {
    const [head = '', body = ''] = (await rawResponse(address, text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toEqual({
      error: expect.any(String),
      details: expect.any(String),
      code,
      timestamp: '2030-05-15T12:00:01Z',
    });
    expect(head).toContain('Connection: close');
    expect(head).toMatch(/\r\nX-Request-Id: \S+/);
  });

  test('headers of 50 KiB are taken', async () => {
    const text = `GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'a'.repeat(50_000)}\r\n\r\n`;
    expect(await rawResponse(address, text)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("the client's address", () => {
  const budget = async (app: TestApp, forwardedFor: string, remoteAddress: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forwardedFor };
    return Number((await app.call('GET', '/api/x', { remoteAddress, headers })).headers['x-ratelimit-remaining']);
  };

  test('is the connection’s where no proxy is trusted, whatever a header says', async () => {
    detour.clock.advance(60_000);
    expect(await budget(detour, '198.51.100.1', '203.0.113.1')).toBe(99);
    expect(await budget(detour, '198.51.100.2', '203.0.113.1')).toBe(98);
  });

  test('is the last of X-Forwarded-For with TRUST_PROXY=1: what the client wrote before it counts nothing', async () => {
    const proxied = await startTestApp({ database: detour.database, env: { TRUST_PROXY: '1' } });
    expect(await budget(proxied, '198.51.100.1', '203.0.113.1')).toBe(99);
    expect(await budget(proxied, '198.51.100.2', '203.0.113.1')).toBe(99);
    expect(await budget(proxied, '10.9.8.7, 198.51.100.2', '203.0.113.1')).toBe(98);
    await proxied.close();
  });

  test('is read only from trusted networks, if they are configured', async () => {
    const proxied = await startTestApp({ database: detour.database, env: { TRUST_PROXY: '203.0.113.0/24' } });
    expect(await budget(proxied, '198.51.100.9', '203.0.113.77')).toBe(99);
    expect(await budget(proxied, '198.51.100.9', '192.0.2.1')).toBe(99);
    expect(await budget(proxied, '198.51.100.8', '192.0.2.1')).toBe(98);
    await proxied.close();
  });
});
