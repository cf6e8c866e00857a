/** Sends many requests of known visitors over many days through real sockets, and returns the expected sums. */
import { connect } from 'node:net';
import type { Db } from '../../src/db/connection/client.ts';
import { writeSetting } from '../../src/db/settings.ts';
import { VISITOR_KEY } from '../../src/hits/count/visitor.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { DAY_MS, utcDay } from '../../src/platform/clock.ts';
import type { TestClock } from './clock.ts';
import { BOT, BROWSER } from './hits.ts';
import { seeded } from './random.ts';

/** Counts of the requests that were sent. */
export interface Expected {
  hits: number;
  bots: number;
  unmatched: number;
  visitors: Set<number>;
  byDay: Map<string, number>;
  countries: Map<string, number>;
}

export interface TrafficPlan {
  clock: TestClock;
  /** of the processes that share the requests */
  addresses: string[];
  host: string;
  /** number of redirects: /r/0 to /r/{redirects - 1} */
  redirects: number;
  /** human GETs that match a redirect */
  hits: number;
  days: number;
  /** a day without requests */
  quietDay: number;
  visitors: number;
}

const COUNTRIES = ['US', 'DE', 'FR', 'GB', 'JP', 'BR', 'IN', 'CA', 'ES', 'IT', 'NL', 'SE', 'XX'];
/** Connections per process, and requests in flight per connection. */
const CONNECTIONS = 4;
const PIPELINED = 250;

/** Fixes the key that visitors are hashed with, so that estimates are the same in each run. */
export function fixedVisitorKey(db: Db): Promise<void> {
  const box = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });
  const sealed = box.seal(Buffer.alloc(16, 42).toString('base64'), VISITOR_KEY.context);
  return writeSetting(db, VISITOR_KEY.setting, sealed.toString('base64'));
}

function emptyExpected(): Expected {
  return { hits: 0, bots: 0, unmatched: 0, visitors: new Set(), byDay: new Map(), countries: new Map() };
}

/** Sends the requests day by day. Returns the expected sums of the website and of each redirect. */
export async function sendTraffic(plan: TrafficPlan): Promise<{ website: Expected; redirects: Expected[] }> {
  const website = emptyExpected();
  const redirects = Array.from({ length: plan.redirects }, emptyExpected);
  const random = seeded(plan.hits);
  const perDay = Math.ceil(plan.hits / (plan.days - 1));
  for (let day = 0; day < plan.days; day++) {
    if (day > 0) plan.clock.advance(DAY_MS);
    if (day === plan.quietDay) continue;
    const today = utcDay(plan.clock.now());
    const requests: string[] = [];
    for (let i = Math.min(perDay, plan.hits - website.hits); i > 0; i--) {
      const visitor = Math.floor(random() * plan.visitors);
      const redirect = Math.floor(plan.redirects * random() ** 2);
      const country = COUNTRIES[visitor % COUNTRIES.length] ?? '';
      requests.push(requestText(plan.host, `/r/${redirect}`, visitor, country));
      for (const each of [website, redirects[redirect] ?? website]) count(each, today, visitor, country);
      // Some requests that are not human hits.
      if (i % 50 === 0) requests.push(requestText(plan.host, `/r/${redirect}`, visitor, country, { method: 'HEAD' }));
      if (i % 20 === 0) {
        requests.push(requestText(plan.host, `/r/${redirect}`, visitor, country, { agent: BOT }));
        website.bots++;
        (redirects[redirect] ?? website).bots++;
      }
      if (i % 30 === 0) {
        requests.push(requestText(plan.host, `/nothing/${i % 7}`, visitor, country));
        website.unmatched++;
      }
    }
    await sendAll(plan.addresses, requests);
  }
  return { website, redirects };
}

function count(expected: Expected, day: string, visitor: number, country: string): void {
  expected.hits++;
  expected.visitors.add(visitor);
  expected.byDay.set(day, (expected.byDay.get(day) ?? 0) + 1);
  if (country !== 'XX') expected.countries.set(country, (expected.countries.get(country) ?? 0) + 1);
}

function requestText(
  host: string,
  path: string,
  visitor: number,
  country: string,
  { method = 'GET', agent = BROWSER } = {},
): string {
  const address = `20.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${agent}\r\nX-Forwarded-For: ${address}\r\nCF-IPCountry: ${country}\r\n\r\n`;
}

/** Distributes the requests over the processes. Resolves when all have a response. */
async function sendAll(addresses: string[], requests: string[]): Promise<void> {
  const shares = addresses.flatMap((address) => Array.from({ length: CONNECTIONS }, () => address));
  await Promise.all(
    shares.map((address, share) =>
      pipeline(
        address,
        requests.filter((_, i) => i % shares.length === share),
      ),
    ),
  );
}

/** Sends the requests over one connection with HTTP pipelining. */
function pipeline(address: string, requests: string[]): Promise<void> {
  if (requests.length === 0) return Promise.resolve();
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    let responses = 0;
    let rest = '';
    const send = (): void => {
      socket.write(requests.slice(sent, sent + PIPELINED).join(''));
      sent = Math.min(requests.length, sent + PIPELINED);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${responses} of ${requests.length} responses`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('HTTP/1.1 ');
      responses += parts.length - 1;
      // A status line may be split between two chunks.
      rest = /(?:H|HT|HTT|HTTP|HTTP\/|HTTP\/1|HTTP\/1\.|HTTP\/1\.1)$/.exec(parts.at(-1) ?? '')?.[0] ?? '';
      if (responses < sent) return;
      if (sent < requests.length) return send();
      socket.removeAllListeners('close');
      socket.end();
      resolve();
    });
    send();
  });
}
