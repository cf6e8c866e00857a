/** A server on a real socket that responds to the CLI with what a test queues. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface StubRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: string;
  /** the body before it is read as text */
  bytes: Buffer;
}

export interface StubAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** closes the connection after this text instead */
  breakAfter?: string;
}

export interface StubApi {
  url: string;
  requests: StubRequest[];
  close(): Promise<void>;
}

/** `answer` returns the response to each request, in order of arrival. */
export async function startStubApi(answer: (request: StubRequest, count: number) => StubAnswer): Promise<StubApi> {
  const requests: StubRequest[] = [];
  const server = createServer((request, response) => {
    void respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stub');
    const bytes = await buffer(request);
    const seen: StubRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: bytes.toString(),
      bytes,
    };
    requests.push(seen);
    const { status = 200, headers = {}, body = {}, breakAfter } = answer(seen, requests.length);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (breakAfter === undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body));
    else response.write(breakAfter, () => response.destroy());
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
