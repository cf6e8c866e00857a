/** Many visits of known visitors over many days, through real sockets, and what they must add up to. */
import { connect } from 'node:net';
import type { Db } from '../../src/db/client.ts';
import { writeSetting } from '../../src/db/settings.ts';
import type { TestClock } from './clock.ts';

/** What was sent, by the test's own account. */
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
  /** one or more processes; visits go to them in turn */
  addresses: string[];
  host: string;
  /** its redirects are /r/0 to /r/{redirects - 1} */
  redirects: number;
  /** GETs by people that a redirect answers */
  hits: number;
  days: number;
  /** on which nobody comes */
  quietDay: number;
  visitors: number;
}

export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';
export const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const COUNTRIES = ['US', 'DE', 'FR', 'GB', 'JP', 'BR', 'IN', 'CA', 'ES', 'IT', 'NL', 'SE', 'XX'];
/** Of each process at a time; the first visitors come at the first of them. */
const CONNECTIONS = 4;
const PIPELINED = 250;

/** Visitors are told by a key of the installation: with one that is always the same, so are the estimates. */
export function fixedVisitorKey(db: Db): Promise<void> {
  return writeSetting(db, 'visitor_key', Buffer.alloc(16, 42).toString('base64'));
}

export function nothing(): Expected {
  return { hits: 0, bots: 0, unmatched: 0, visitors: new Set(), byDay: new Map(), countries: new Map() };
}

/** Sends the visits, a day after the other, and answers what they were: of the website, and of each of its redirects. */
export async function sendTraffic(plan: TrafficPlan): Promise<{ website: Expected; redirects: Expected[] }> {
  const website = nothing();
  const redirects = Array.from({ length: plan.redirects }, nothing);
  const random = seeded(plan.hits);
  const perDay = Math.ceil(plan.hits / (plan.days - 1));
  for (let day = 0; day < plan.days; day++) {
    if (day > 0) plan.clock.advance(86_400_000);
    if (day === plan.quietDay) continue;
    const today = plan.clock.now().toISOString().slice(0, 10);
    const requests: string[] = [];
    for (let i = Math.min(perDay, plan.hits - website.hits); i > 0; i--) {
      const visitor = Math.floor(random() * plan.visitors);
      const redirect = Math.floor(plan.redirects * random() ** 2);
      const country = COUNTRIES[visitor % COUNTRIES.length] ?? '';
      requests.push(visitOf(plan.host, `/r/${redirect}`, visitor, country));
      for (const each of [website, redirects[redirect] ?? website]) count(each, today, visitor, country);
      // Now and then something that is no hit of a person.
      if (i % 50 === 0)
        requests.push(visitOf(plan.host, `/r/${redirect}`, visitor, country, { method: 'HEAD' }));
      if (i % 20 === 0) {
        requests.push(visitOf(plan.host, `/r/${redirect}`, visitor, country, { agent: BOT }));
        website.bots++;
        (redirects[redirect] ?? website).bots++;
      }
      if (i % 30 === 0) {
        requests.push(visitOf(plan.host, `/nothing/${i % 7}`, visitor, country));
        website.unmatched++;
      }
    }
    await sendAll(plan.addresses, requests);
  }
  return { website, redirects };
}

function count(of: Expected, day: string, visitor: number, country: string): void {
  of.hits++;
  of.visitors.add(visitor);
  of.byDay.set(day, (of.byDay.get(day) ?? 0) + 1);
  if (country !== 'XX') of.countries.set(country, (of.countries.get(country) ?? 0) + 1);
}

function visitOf(
  host: string,
  path: string,
  visitor: number,
  country: string,
  { method = 'GET', agent = BROWSER } = {},
): string {
  const address = `20.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${agent}\r\nX-Forwarded-For: ${address}\r\nCF-IPCountry: ${country}\r\n\r\n`;
}

/** Shares the requests among the processes; resolves when all are answered. */
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

/** Sends them over one connection, a few hundred at a time without waiting for each answer. */
function pipeline(address: string, requests: string[]): Promise<void> {
  if (requests.length === 0) return Promise.resolve();
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    let answered = 0;
    let rest = '';
    const send = (): void => {
      socket.write(requests.slice(sent, sent + PIPELINED).join(''));
      sent = Math.min(requests.length, sent + PIPELINED);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${answered} of ${requests.length} answers`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('HTTP/1.1 ');
      answered += parts.length - 1;
      // The beginning of a status line may be cut; what comes before it was counted.
      rest = /(?:H|HT|HTT|HTTP|HTTP\/|HTTP\/1|HTTP\/1\.|HTTP\/1\.1)$/.exec(parts.at(-1) ?? '')?.[0] ?? '';
      if (answered < sent) return;
      if (sent < requests.length) return send();
      socket.removeAllListeners('close');
      socket.end();
      resolve();
    });
    send();
  });
}

/** mulberry32: the same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
