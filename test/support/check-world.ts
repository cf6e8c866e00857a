/** A local world of many host names on three sockets, for live checks: each host answers as its kind does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { TargetState } from '../../src/vocabulary/checks.ts';
import { selfSigned, type TestCertificate } from './certificate.ts';
import { testClock } from './clock.ts';
import { drip, pour } from './receiver.ts';

/** A clock, and waits that move it. Work that waits on no timer ends before the next wait does. */
export function virtualTime() {
  const clock = testClock();
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    const until = clock.now().getTime() + ms;
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (signal.aborted) return reject(new Error('aborted'));
        clock.advance(Math.max(0, until - clock.now().getTime()));
        resolve();
      });
    });
  };
  return { clock, sleep };
}

export interface Asked {
  method: string;
  host: string;
  /** with its query */
  path: string;
  headers: IncomingMessage['headers'];
  /** how often this host got this method and path, from 1 */
  count: number;
}

type Act = (response: ServerResponse, asked: Asked) => void;

export interface Kind {
  act: Act;
  /** default: 404 */
  robots?: Act;
  /** of the target; default: /shop/shoes */
  path?: string;
  secure?: 'valid' | 'expired' | 'other-name' | 'unknown';
  /** default: 127.0.0.1 */
  addresses?: string[] | 'unknown' | 'closed port';
  state: TargetState;
  reason: string | null;
  note?: 'host_answers_everything';
}

const TARGET = '/shop/shoes';
const html = (response: ServerResponse, text: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'text/html' }).end(`<!doctype html>${text}`);
const lost: Act = (response) => html(response, '<title>Not found</title>Not found', 404);
const page: Act = (response, { path }) => html(response, `<title>Shop</title>The page ${path} of the shop, 7 items`);

/** A host with a page at the target and at /, and 404 elsewhere. */
const site =
  (act: Act): Act =>
  (response, asked) => {
    if (asked.path === TARGET) act(response, asked);
    else (asked.path === '/' ? page : lost)(response, asked);
  };

/** The same answer to every path except /. */
const everywhere =
  (act: Act): Act =>
  (response, asked) =>
    (asked.path === '/' ? page : act)(response, asked);

const status = (code: number, headers: Record<string, string> = {}): Act =>
  site((response) => void response.writeHead(code, headers).end());

const redirects = (...hops: [from: string, status: number, to: string][]): Act =>
  ((response, asked) => {
    const [, code, location] = hops.find(([from]) => from === asked.path) ?? [];
    if (code && location !== undefined) response.writeHead(code, { location }).end();
    else (['/', '/new', '/end'].includes(asked.path) ? page : lost)(response, asked);
  }) satisfies Act;

const raw =
  (bytes: string): Act =>
  (response) =>
    void response.socket?.end(bytes);

const softText: Act = (response, { path }) => html(response, `<title>Shop</title>No page ${path} here, sorry`);
const robots = (text: string): Act => {
  return (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
};
const is = (state: TargetState, reason: string | null = null) => ({ state, reason });
const ok = is('ok');
const anything = { ...ok, note: 'host_answers_everything' } as const;
const FORBIDDEN = 'User-agent: Detour-Check\nDisallow: /shop/';

/** The kinds of hosts, and what a check says of their target. */
export const KINDS: Record<string, Kind> = {
  plain: { act: site(page), ...ok },
  secure: { act: site(page), secure: 'valid', ...ok },
  'no-content': { act: status(204), ...ok },
  'start-page': { act: everywhere(lost), path: '/', ...ok },
  'not-found': { act: status(404), ...is('dead', 'http_404') },
  gone: { act: status(410), ...is('dead', 'http_410') },
  'soft-404': { act: everywhere(softText), ...is('soft_404') },
  'soft-404-packed': {
    act: everywhere((response) => {
      const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
      response.writeHead(200, headers).end(gzipSync('<title>Shop</title>No such page'));
    }),
    ...is('soft_404'),
  },
  'soft-404-elsewhere': {
    act: everywhere((response, { path }) => {
      if (path.startsWith('/search')) html(response, '<title>Search</title>No results');
      else response.writeHead(302, { location: `/search?q=${path.slice(1)}` }).end();
    }),
    ...is('soft_404'),
  },
  'redirects-all-home': {
    act: everywhere((response) => void response.writeHead(301, { location: '/' }).end()),
    ...is('soft_404'),
  },
  'one-page-app': {
    act: (response) => html(response, '<title>App</title><div id=app></div><script src=/app.js></script>'),
    ...anything,
  },
  'a-page-for-every-word': {
    act: (response, { path }) => html(response, `<title>Words</title>It has ${path.length} letters`),
    ...ok,
  },
  redirect: { act: redirects([TARGET, 302, '/new']), ...ok },
  moved: { act: redirects([TARGET, 301, '/new']), ...is('moved') },
  'moved-chain': {
    act: redirects([TARGET, 308, '/a'], ['/a', 302, 'b?c=1'], ['/b?c=1', 307, '/end']),
    ...is('moved'),
  },
  'moved-to-dead': { act: redirects([TARGET, 301, '/nowhere']), ...is('dead', 'http_404') },
  loop: { act: redirects([TARGET, 301, '/a'], ['/a', 302, `${TARGET}#top`]), ...is('loop', 'loop') },
  'ten-hops': {
    act: redirects(
      ...Array.from({ length: 10 }, (_, i): [string, number, string] => [
        i === 0 ? TARGET : `/${i}`,
        302,
        i === 9 ? '/end' : `/${i + 1}`,
      ]),
    ),
    ...ok,
  },
  'endless-chain': {
    act: (response, { path }) => void response.writeHead(302, { location: `${path}x` }).end(),
    ...is('loop', 'too_many_hops'),
  },
  'redirect-to-mail': { act: redirects([TARGET, 301, 'mailto:a@b.example']), ...is('error', 'bad_location') },
  'redirect-to-port': {
    act: redirects([TARGET, 301, 'http://127.0.0.1:22/']),
    ...is('error', 'address_not_allowed'),
  },
  'not-modified': { act: status(304), ...is('error', 'http_304') },
  'sign-in': { act: status(401, { 'www-authenticate': 'Basic' }), ...is('blocked', 'http_401') },
  forbidden: { act: status(403), ...is('blocked', 'http_403') },
  'legal-reasons': { act: status(451), ...is('blocked', 'http_451') },
  'for-browsers-only': { act: status(999), ...is('blocked', 'http_999') },
  'method-not-allowed': { act: status(405), ...is('blocked', 'http_405') },
  'no-head': {
    act: site((response, asked) => (asked.method === 'HEAD' ? status(405) : page)(response, asked)),
    ...ok,
  },
  'head-is-404': { act: (response, asked) => (asked.method === 'HEAD' ? lost : site(page))(response, asked), ...ok },
  'head-is-500': {
    act: site((response, asked) => (asked.method === 'HEAD' ? status(500) : page)(response, asked)),
    ...ok,
  },
  'head-is-reset': {
    act: site((response, asked) => {
      if (asked.method === 'HEAD') response.socket?.resetAndDestroy();
      else page(response, asked);
    }),
    ...ok,
  },
  'head-is-always-200': {
    act: (response, asked) => (asked.method === 'HEAD' || asked.path === '/' ? page : lost)(response, asked),
    ...is('dead', 'http_404'),
  },
  'too-many-requests': {
    act: site((response, asked) => {
      if (asked.method === 'HEAD') response.writeHead(429, { 'retry-after': '30' }).end();
      else page(response, asked);
    }),
    ...ok,
  },
  'always-429': { act: status(429, { 'retry-after': '30' }), ...is('blocked', 'http_429') },
  '429-without-time': { act: status(429), ...is('blocked', 'http_429') },
  '429-for-an-hour': { act: status(429, { 'retry-after': '3600' }), ...is('blocked', 'http_429') },
  unavailable: { act: status(503), ...is('error', 'http_503') },
  maintenance: { act: status(503, { 'retry-after': '7200' }), ...is('error', 'http_503') },
  'bad-request': { act: status(400), ...is('error', 'http_400') },
  hangs: { act: site(() => undefined), ...is('error', 'timeout') },
  'drips-headers': {
    act: site(({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      if (socket) drip(socket, () => 'a', 200);
    }),
    ...is('error', 'timeout'),
  },
  'drips-a-body': {
    act: everywhere((response, asked) => {
      if (asked.method === 'HEAD') return void response.end();
      const { socket } = response;
      socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      if (socket) drip(socket, () => 'a', 200);
    }),
    ...ok,
  },
  resets: { act: site((response) => void response.socket?.resetAndDestroy()), ...is('error', 'reset') },
  'speaks-ssh': { act: site(raw('SSH-2.0-OpenSSH_9.9\r\n')), ...is('error', 'reset') },
  huge: {
    act: (response, asked) => {
      if (asked.method === 'HEAD') return void response.end();
      const { socket } = response;
      socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n');
      if (socket) pour(socket, () => 'x'.repeat(16_384));
    },
    ...anything,
  },
  bomb: {
    act: (response, asked) => {
      const bomb = asked.method === 'HEAD' ? '' : BOMB;
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
    },
    ...anything,
  },
  'not-really-gzip': {
    act: everywhere((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain')),
    ...ok,
  },
  'body-too-short': {
    act: everywhere((response, asked) => {
      if (asked.method === 'HEAD') response.end();
      else raw('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nshort')(response, asked);
    }),
    ...ok,
  },
  'two-lengths': {
    act: site(raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')),
    ...is('error', 'reset'),
  },
  'html-refresh': {
    act: site((response) => html(response, '<meta http-equiv=refresh content="0; url=/new">')),
    ...ok,
  },
  'certificate-of-another': { act: site(page), secure: 'other-name', ...is('error', 'tls') },
  'certificate-expired': { act: site(page), secure: 'expired', ...is('error', 'tls') },
  'certificate-unknown': { act: site(page), secure: 'unknown', ...is('error', 'tls') },
  'no-such-name': { act: page, addresses: 'unknown', ...is('error', 'dns') },
  'name-without-address': { act: page, addresses: [], ...is('error', 'dns') },
  'inner-address': { act: page, addresses: ['169.254.169.254'], ...is('error', 'address_not_allowed') },
  'closed-port': { act: page, addresses: 'closed port', ...is('error', 'refused') },
  'robots-forbid': { act: site(page), robots: robots(FORBIDDEN), ...is('blocked', 'robots') },
  'robots-forbid-dead': { act: status(404), robots: robots(FORBIDDEN), ...is('blocked', 'robots') },
  'robots-forbid-search-engines': { act: site(page), robots: robots('User-agent: *\nDisallow: /'), ...ok },
  'robots-forbid-the-next-hop': {
    act: redirects([TARGET, 301, '/private/a']),
    robots: robots('User-agent: Detour-Check\nDisallow: /private/'),
    ...is('blocked', 'robots'),
  },
  'robots-redirect': {
    act: (response, asked) => (asked.path === '/r' ? robots(FORBIDDEN) : site(page))(response, asked),
    robots: (response) => void response.writeHead(302, { location: '/r' }).end(),
    ...is('blocked', 'robots'),
  },
  'robots-loop': {
    act: site(page),
    robots: (response) => void response.writeHead(302, { location: '/robots.txt' }).end(),
    ...ok,
  },
  'robots-are-long': {
    act: site(page),
    robots: robots(`${FORBIDDEN}\n${'# filler\n'.repeat(100_000)}`),
    ...is('blocked', 'robots'),
  },
  'robots-begin-too-late': { act: site(page), robots: robots(`${'# filler\n'.repeat(100_000)}${FORBIDDEN}`), ...ok },
  'robots-fail': { act: site(page), robots: (response) => void response.writeHead(500).end(), ...ok },
  'robots-hang': { act: site(page), robots: () => undefined, ...ok },
  'robots-are-a-page': { act: site(page), robots: page, ...ok },
};

const BOMB = gzipSync(Buffer.alloc(20_000_000, ' '));

/** Starts the world. Host `3.moved.example` is the third of the kind `moved`; `add` makes further kinds. */
export async function startCheckWorld(added: Record<string, Kind> = {}) {
  const kinds = { ...KINDS, ...added };
  const requests: Asked[] = [];
  const counts = new Map<string, number>();
  const nameOf = (host: string): string => host.split('.').at(-2) ?? '';
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url: path = '', headers } = request;
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    const key = `${method} ${host}${path}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const asked = { method, host, path, headers, count: counts.get(key) ?? 1 };
    requests.push(asked);
    const kind = kinds[nameOf(host)];
    (path === '/robots.txt' ? (kind?.robots ?? lost) : (kind?.act ?? lost))(response, asked);
  };
  const certificates = createCertificates(kinds);
  const plain = createServer(onRequest);
  const secure = createTlsServer(
    { SNICallback: (host, callback) => callback(null, createSecureContext(certificates(nameOf(host)))) },
    onRequest,
  );
  const unused = createTcpServer();
  const [port, tlsPort, closed] = [await listen(plain), await listen(secure), await listen(unused)];
  await close(unused);
  return {
    requests,
    kinds,
    /** the address of the target of a host */
    urlOf(name: string, number = 0, path = kinds[name]?.path ?? TARGET): string {
      const scheme = kinds[name]?.secure ? 'https' : 'http';
      const open = kinds[name]?.secure ? tlsPort : port;
      return `${scheme}://${number}.${name}.example:${kinds[name]?.addresses === 'closed port' ? closed : open}${path}`;
    },
    network: {
      ports: [port, tlsPort, closed],
      resolve(host: string): Promise<string[]> {
        const addresses = kinds[nameOf(host)]?.addresses;
        if (addresses === 'unknown') return Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
        return Promise.resolve(Array.isArray(addresses) ? addresses : ['127.0.0.1']);
      },
    },
    async stop() {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        await close(server);
      }
    },
  };
}

export type CheckWorld = Awaited<ReturnType<typeof startCheckWorld>>;

/** One certificate for all hosts of a kind; this process trusts all but the unknown one. */
function createCertificates(kinds: Record<string, Kind>): (kind: string) => TestCertificate {
  const known = new Map<string, TestCertificate>();
  for (const [name, { secure }] of Object.entries(kinds)) {
    if (!secure) continue;
    const end = secure === 'expired' ? new Date('2020-01-01T00:00:00Z') : undefined;
    known.set(name, selfSigned(secure === 'other-name' ? '*.other.example' : `*.${name}.example`, end));
  }
  const trusted = [...known].filter(([name]) => kinds[name]?.secure !== 'unknown').map(([, { cert }]) => cert);
  setDefaultCACertificates([...getCACertificates(), ...trusted]);
  return (name) => known.get(name) ?? selfSigned('unused.example');
}

async function listen(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server | TcpServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
