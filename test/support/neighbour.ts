/** The ways in which one account harms others, for test/soak/worst-neighbour.test.ts. */
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Neighbour {
  /** such as http://127.0.0.1:3000 */
  address: string;
  cookie: string;
  key: string;
  /** a website with many rules */
  websiteId: number;
  /** a website whose rules are as expensive to match as they may be */
  slowHost: string;
}

/** Starts to harm. Resolves to a function that stops it and returns the number of responses by status. */
export type Attack = (neighbour: Neighbour) => Promise<() => Promise<Record<string, number>>>;

/** Time between two requests of a lane, so that the client leaves some of a small machine to the service. */
const LANE_PAUSE_MS = 20;

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string | FormData };

/** Sends requests in several lanes, each one after the other. */
function lanes(count: number, next: (n: number) => Sent): Attack {
  return async ({ address, cookie }) => {
    const statuses: Record<string, number> = {};
    const end = new AbortController();
    let n = 0;
    const lane = async (): Promise<void> => {
      while (!end.signal.aborted) {
        const { method = 'GET', path, headers = {}, body } = next(n++);
        const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
        const options = { method, headers: { cookie, ...json, ...headers }, ...(body !== undefined && { body }) };
        const status = await fetch(address + path, { ...options, signal: end.signal }).then(
          async (response) => (await response.arrayBuffer(), String(response.status)),
          () => 'closed',
        );
        statuses[status] = (statuses[status] ?? 0) + 1;
        await pause(LANE_PAUSE_MS);
      }
    };
    const all = Array.from({ length: count }, lane);
    return async () => {
      end.abort();
      await Promise.all(all);
      return statuses;
    };
  };
}

/** Opens sockets that send `head`, and a byte of `drip` each second, and read nothing. */
function sockets(count: number, head: string | ((neighbour: Neighbour) => string), drip = ''): Attack {
  return async (neighbour) => {
    const { hostname, port } = new URL(neighbour.address);
    const text = typeof head === 'string' ? head : head(neighbour);
    const open: Socket[] = Array.from({ length: count }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.pause().write(text);
      return socket;
    });
    const timer = setInterval(() => {
      for (const socket of open) if (drip !== '' && socket.writable) socket.write(drip);
    }, 1_000);
    return async () => {
      clearInterval(timer);
      for (const socket of open) socket.destroy();
      return { sockets: count };
    };
  };
}

const head = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n`;

/** Requests to the slow website, with a path and a query that meet all of its rules. */
function visits(count: number, targets: string[]): Attack {
  return async ({ address, slowHost }) => {
    const { hostname, port } = new URL(address);
    const statuses: Record<string, number> = {};
    let isOver = false;
    const visit = (path: string): Promise<string> =>
      new Promise((resolve) => {
        const request = httpRequest({ hostname, port, path, headers: { host: slowHost }, agent: false }, (response) => {
          response.resume();
          response.on('close', () => resolve(String(response.statusCode)));
        });
        request.on('error', () => resolve('closed')).end();
      });
    const lane = async (_: unknown, first: number): Promise<void> => {
      for (let n = first; !isOver; n++) {
        const status = await visit(targets[n % targets.length] ?? '/');
        statuses[status] = (statuses[status] ?? 0) + 1;
        // Any site may have many visitors: what counts is how long each one takes.
        await pause(3 * LANE_PAUSE_MS);
      }
    };
    const all = Array.from({ length: count }, lane);
    return async () => {
      isOver = true;
      await Promise.all(all);
      return statuses;
    };
  };
}

/** Several attacks at once. */
export function together(attacks: Attack[]): Attack {
  return async (neighbour) => {
    const stops: Awaited<ReturnType<Attack>>[] = [];
    for (const attack of attacks) stops.push(await attack(neighbour));
    return async () => {
      const all: Record<string, number> = {};
      for (const counts of await Promise.all(stops.map((stop) => stop()))) {
        for (const [status, count] of Object.entries(counts)) all[status] = (all[status] ?? 0) + count;
      }
      return all;
    };
  };
}

/** Parameters that are names of the rules of the slow website. */
export const SLOW_NAMES = Array.from({ length: 150 }, (_, i) => `n${String(i).padStart(3, '0')}`);

const BOUNDARY = 'worst';
const part = (name: string, value: string, file = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}`;

const form = `${part('website_id', '1\r\n')}${part('file', 'old_path,new_path\r\n', '; filename="a.csv"')}`;
const upload = ({ cookie }: Neighbour): string =>
  `${head('POST /api/redirects/import', `Cookie: ${cookie}`, `Content-Type: multipart/form-data; boundary=${BOUNDARY}`, 'Content-Length: 1000000000')}\r\n${form}`;
const bulk = ({ key, websiteId }: Neighbour): string =>
  `${head(`POST /api/v1/redirects/bulk?website_id=${websiteId}`, `Authorization: Bearer ${key}`, 'Content-Type: application/x-ndjson', 'Content-Length: 1000000000')}\r\n`;
const unread =
  (path: string) =>
  ({ cookie }: Neighbour): string =>
    `${head(`GET ${path}`, `Cookie: ${cookie}`)}\r\n`;

/** An import of `rows` rows; `entry` writes one. */
function imports(rows: number, websiteId: number, key: string, entry: (n: number) => object): Attack {
  const text = (round: number): string =>
    JSON.stringify({
      website_id: String(websiteId),
      redirects: Array.from({ length: rows }, (_, i) => entry(i + round)),
    });
  // Two texts, so that each import changes what the one before has written. The client would compute all the time.
  const bodies = [text(0), text(1)];
  return lanes(2, (n) => ({
    method: 'POST',
    path: '/api/v1/redirects/bulk',
    headers: { authorization: `Bearer ${key}` },
    body: bodies[n % 2] ?? '',
  }));
}

/** The attacks by name. Each exceeds what the account may have at a time. */
export function attacksOf({ websiteId, key }: Neighbour): Record<string, Attack> {
  const unreadStreams = together([
    sockets(25, unread('/api/redirects')),
    sockets(15, unread(`/api/deployments/diff?website_id=${websiteId}&environment=staging`)),
    sockets(10, unread(`/api/websites/${websiteId}/health`)),
  ]);
  const slowBodies = together([sockets(20, upload, 'x'), sockets(20, bulk, '\n')]);
  const good = (n: number): object => ({ old_path: `/rule-${n}`, new_path: `/other-${n % 2}-${n}` });
  const bad = (n: number): object => ({ old_path: `no-slash-${n}`, new_path: ' x', status_code: 999 });
  const path = `/${'a'.repeat(2_040)}`;
  const query = `/p?${SLOW_NAMES.join('&')}`;
  return {
    'streams that are not read': unreadStreams,
    'slow uploads and bulk bodies': slowBodies,
    'large imports': imports(20_000, websiteId, key, good),
    'imports of invalid rows': imports(20_000, websiteId, key, bad),
    'expensive rules': visits(10, [path, query]),
    'idle connections and slow heads': together([sockets(500, ''), sockets(100, head('GET /health'), 'X')]),
    'writes to one website': lanes(40, (n) => ({
      method: 'POST',
      path: '/api/redirects',
      body: JSON.stringify({ website_id: websiteId, old_path: `/write-${n}-${performance.now()}`, new_path: '/new' }),
    })),
    'wrong passwords': lanes(16, (n) => ({
      method: 'POST',
      path: '/api/auth/sign-in',
      headers: { 'x-forwarded-for': `10.1.${(n >> 8) & 255}.${n & 255}`, cookie: '' },
      body: JSON.stringify({ email: `u${n}@example.com`, password: 'x'.repeat(n % 2 === 0 ? 1_000 : 8_000) }),
    })),
    'slow searches': lanes(30, (n) => ({
      path: searches(websiteId)[n % 4] ?? '',
      headers: { 'sec-fetch-site': 'same-origin' },
    })),
  };
}

const searches = (websiteId: number): string[] => [
  `/api/redirects?limit=100&q=zzz-none&website_id=${websiteId}`,
  `/api/redirects/count?q=rule-1999&website_id=${websiteId}`,
  `/api/redirects?limit=100&sort=hits&q=9&website_id=${websiteId}`,
  `/api/v1/analytics?website_id=${websiteId}&start_date=2018-01-01&end_date=2027-12-31`,
];
