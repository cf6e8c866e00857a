/** Asks a server for sample addresses, and compares its answers with those of Detour for the same version. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../errors.ts';
import type { Website } from '../website.ts';
import type { Sample } from './download.ts';

/** A sync, as far as it concerns the comparison. */
interface Compared {
  client: Client;
  websiteId: string;
  environment: Environment;
  /** undefined: the server is not asked */
  probed: ProbedServer | undefined;
  installer: { note(line: string): void };
}

export interface ProbedServer {
  /** without a slash at the end */
  url: string;
  /** of the website, for the Host header */
  host: string;
}

/** A reload ends before the former workers do. */
const MAX_WAIT_MS = 20_000;
const PAUSE_MS = 250;
const TIMEOUT_MS = 5_000;

/** Returns where to ask for a website; undefined if none of its hosts has rules in the environment. */
export function probedServer(website: Website, environment: Environment, url: string): ProbedServer | undefined {
  const found = website.hosts.find((host) => host.environment === environment && !host.redirect_to);
  return found && { url, host: found.hostname.replace('*', 'www') };
}

/**
 * Returns the first answer that differs in words, or undefined if all are the same. Repeats the samples for up to 20 s
 * until they are. A server or service that does not answer is only noted.
 */
export async function probeServer(sync: Compared, version: number, samples: Sample[]): Promise<string | undefined> {
  const { probed, installer } = sync;
  if (!probed || samples.length === 0) return undefined;
  try {
    const expected = await expectedAnswers(sync, version, samples);
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const different = await firstDifference(probed, expected);
      if (different === undefined || performance.now() > deadline) return different;
      await sleep(PAUSE_MS);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    installer.note(`the answers of the server are not compared with Detour: ${why}; see --probe`);
    return undefined;
  }
}

/** The answers of Detour by request targets. Without those that another rule decides, which may be an omitted one. */
async function expectedAnswers(
  { client, websiteId, environment }: Compared,
  version: number,
  samples: Sample[],
): Promise<Map<string, Answer>> {
  const body = { website_id: websiteId, environment, version, urls: samples.map(({ target }) => target) };
  const { results } = await client.post<{ results: Tested[] }>('/redirects/test', body, { canRepeat: true });
  const answers = samples.map(({ id, target }, at): [string, Answer] | undefined => {
    const result = results[at];
    return result?.redirect_id === id ? [target, { status: result.status_code, location: result.location }] : undefined;
  });
  return new Map(answers.filter((each) => each !== undefined));
}

interface Tested {
  status_code: number;
  location: string | null;
  redirect_id: string | null;
}

interface Answer {
  status: number;
  location: string | null;
}

async function firstDifference({ url, host }: ProbedServer, expected: Map<string, Answer>) {
  for (const [target, wanted] of expected) {
    const found = await answerOf(url, host, target).catch(orReset);
    if (textOf(found, host) === textOf(wanted, host)) continue;
    return `${host}${target} at ${url} is ${textOf(found, host)}, and in Detour ${textOf(wanted, host)}`;
  }
  return undefined;
}

/** A server that reloads may reset a connection; the next round asks again. */
function orReset(error: Error): Answer {
  if ('code' in error && error.code === 'ECONNRESET') return { status: 0, location: null };
  throw error;
}

/** Apache makes every target an absolute URL. */
function textOf({ status, location }: Answer, host: string): string {
  const own = location === null ? null : /^https?:\/\/([^/:]+)(?::\d+)?(?=\/)/i.exec(location);
  const isOwn = own?.[1]?.toLowerCase() === host;
  return `${status} ${isOwn && own ? location?.slice(own[0].length) : (location ?? '')}`.trim();
}

/** Asks again by HTTPS if the server redirects the same address there. */
async function answerOf(url: string, host: string, target: string): Promise<Answer> {
  const answer = await request(url, host, target);
  const isUpgrade =
    url.startsWith('http:') && answer.location?.toLowerCase() === `https://${host}${target}`.toLowerCase();
  return isUpgrade ? request(`https://${new URL(url).hostname}`, host, target) : answer;
}

function request(url: string, host: string, path: string): Promise<Answer> {
  const { protocol, hostname, port } = new URL(url);
  const isHttps = protocol === 'https:';
  const headers = { host: port === '' ? host : `${host}:${port}` };
  // The address of the server is not a name in its certificate.
  const options = { method: 'HEAD', host: hostname, port, path, headers, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const sent = (isHttps ? httpsRequest : httpRequest)({ ...options, ...(isHttps && { servername: host }) });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new CommandError(`${url} did not answer within 5 s`)));
    sent.once('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? null });
    });
    sent.once('error', reject).end();
  });
}
