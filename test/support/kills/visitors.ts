/** Visitors of one redirect through nginx, and the responses of each process. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { BROWSER } from '../hits.ts';
import { SERVED_BY } from '../nginx.ts';
import type { Kill } from './fleet.ts';

const VISITORS = 4;
const PAUSE_MS = 8;
/** Responses of a killed process may arrive so much later. */
const GRACE_MS = 2_000;

/** Keeps its connections. Resolves with the response, whose body was read. */
export function createVisitor(): {
  visit: (address: string, host: string, path: string) => Promise<IncomingMessage>;
  close: () => void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    visit: (address, host, path) =>
      new Promise((resolve, reject) => {
        const headers = { host, 'user-agent': BROWSER };
        const { hostname, port } = new URL(address);
        request({ agent, hostname, port, path, headers }, (response) => {
          response.on('error', reject).on('end', () => resolve(response));
          response.resume();
        })
          .on('error', reject)
          .end();
      }),
    close: () => agent.destroy(),
  };
}

export interface Visits {
  /** how many redirects */
  answered(): number;
  /** the longest time to a response */
  longestMs(): number;
  /** anything else */
  wrong: string[];
  /** Hits that the killed processes had counted and not written. A starting process has not written any. */
  unwritten(kills: Kill[]): number;
  stop(): Promise<void>;
}

export function startVisits(at: { address: string; host: string; path: string; target: string }): Visits {
  const { visit, close } = createVisitor();
  const times = new Map<number, number[]>();
  const timesOf = (port: number): number[] => times.get(port) ?? times.set(port, []).get(port) ?? [];
  const wrong: string[] = [];
  let isOn = true;
  let longestMs = 0;
  async function visitAgain(): Promise<void> {
    while (isOn) {
      await pause(PAUSE_MS);
      const began = performance.now();
      const response = await visit(at.address, at.host, at.path).catch(String);
      longestMs = Math.max(longestMs, performance.now() - began);
      if (typeof response === 'string') {
        wrong.push(response);
        continue;
      }
      const { statusCode, headers } = response;
      if (statusCode !== 301 || headers.location !== at.target)
        wrong.push(`${statusCode} ${headers.location} by ${String(headers[SERVED_BY])}`);
      // The last one: nginx tried the others without success.
      const port = Number(String(headers[SERVED_BY]).split(':').at(-1));
      if (statusCode === 301) timesOf(port).push(performance.now());
    }
  }
  const visitors = Array.from({ length: VISITORS }, visitAgain);
  return {
    answered: () => [...times.values()].reduce((sum, { length }) => sum + length, 0),
    longestMs: () => longestMs,
    wrong,
    unwritten(kills) {
      let sum = 0;
      for (const { port, at: killedAt, counted } of kills) {
        const isAfter = (time: number): boolean => time > counted.at && time < killedAt + GRACE_MS;
        sum += counted.unwritten + timesOf(port).filter(isAfter).length;
      }
      return sum;
    },
    async stop() {
      isOn = false;
      await Promise.all(visitors);
      close();
    },
  };
}
