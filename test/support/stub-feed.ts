/** A service with one website whose feed and exports a test sets: for the commands that follow versions. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface StubFeed {
  url: string;
  port: number;
  /** the queries of all requests of the feed */
  reports: Record<string, string>[];
  exports: number;
  /** the Location of each target that `POST /redirects/test` gets, of redirect 7; undefined: the service has no such route */
  answers: Record<string, string> | undefined;
  /** makes a version live; held requests are answered */
  deploy(version: number, configuration: string): void;
  close(): Promise<void>;
}

const WEBSITE = { id: '1', name: 'Shop', hosts: [{ hostname: 'shop.example', environment: 'production' }] };

export async function startStubFeed(port = 0): Promise<StubFeed> {
  let live = { version: 0, configuration: '# empty\n' };
  const held = new Set<() => void>();
  const server = createServer((request, response) => respond(request, response));
  const stub: StubFeed = {
    url: '',
    port: 0,
    reports: [],
    exports: 0,
    answers: undefined,
    deploy(version, configuration) {
      live = { version, configuration };
      for (const release of held) release();
      held.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function respond(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
    const query = Object.fromEntries(searchParams);
    if (pathname === '/api/v1/websites') return json(response, 200, { websites: [WEBSITE] });
    if (pathname === '/api/v1/feeds/1/production') {
      stub.reports.push(query);
      if (query['since'] !== String(live.version)) return feed(response);
      if (Number(query['wait']) === 0) return void response.writeHead(304).end();
      return void held.add(() => feed(response));
    }
    if (pathname === '/api/v1/redirects/test' && stub.answers) return void test(request, response, stub.answers);
    if (pathname !== '/api/v1/redirects/bulk/export') return json(response, 404, { error: 'Endpoint not found' });
    stub.exports++;
    const etag = `"${query['version']}"`;
    if (query['lossy'] === 'false' && live.configuration.includes('omitted:')) {
      return json(response, 422, { error: '1 redirect cannot be expressed in nginx', code: 'VALIDATION_ERROR' });
    }
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { etag, 'content-type': 'text/plain' }).end(live.configuration);
  }

  function feed(response: ServerResponse): void {
    const head = { version: live.version, count: 1, options_checksum: 'o', checksum: 'c' };
    response.writeHead(200, { etag: `"${live.version}"` }).end(`${JSON.stringify(head)}\n{"end":true}\n`);
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  stub.port = (server.address() as AddressInfo).port;
  stub.url = `http://127.0.0.1:${stub.port}`;
  return stub;
}

async function test(request: IncomingMessage, response: ServerResponse, answers: Record<string, string>) {
  const { urls } = JSON.parse(await text(request)) as { urls: string[] };
  const results = urls.map((url) => {
    const location = answers[url] ?? null;
    return { status_code: location === null ? 404 : 301, location, redirect_id: location === null ? null : '7' };
  });
  json(response, 200, { results });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
