/** The number of the live version, from the head of the feed. A request also reports what this server runs with. */
import { createInterface } from 'node:readline';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { ApiError, CommandError, unreachable } from '../errors.ts';
import type { Response } from '../http.ts';

export interface FeedHead {
  version: number;
  /** checksum of the website's options */
  options: string;
}

/** The feed to read, and the agent that reads it. */
export interface Follower {
  websiteId: string;
  environment: Environment;
  agent: string;
  kind: string;
}

/** Beyond the longest wait of the service. */
const GRACE_MS = 15_000;

/**
 * Returns the head of the live version, or null if it is still `since` after `waitSeconds`. `serving` is the version that
 * the server runs with.
 */
export async function readFeedHead(
  client: Client,
  { websiteId, environment, agent, kind }: Follower,
  {
    since,
    serving,
    waitSeconds,
    signal,
  }: { since?: FeedHead; serving?: number; waitSeconds: number; signal: AbortSignal },
): Promise<FeedHead | null> {
  const ask = (from: FeedHead | undefined): Promise<Response> =>
    client.stream({
      method: 'GET',
      path: `/feeds/${websiteId}/${environment}`,
      query: {
        agent,
        kind,
        serving,
        since: from?.version,
        options: from?.options || undefined,
        wait: from ? waitSeconds : undefined,
      },
      idleTimeoutMs: waitSeconds * 1_000 + GRACE_MS,
      signal,
    });
  const response = await ask(since).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 410) return ask(undefined);
    throw error;
  });
  if (response.status === 304) {
    response.stream.resume();
    return null;
  }
  return headOf(client, response);
}

/** Reads the first line and closes the connection: the rules come from the export. */
async function headOf(client: Client, { stream }: Response): Promise<FeedHead> {
  let line: string | undefined;
  try {
    for await (const first of createInterface({ input: stream })) {
      line = first;
      break;
    }
  } catch (error) {
    throw unreachable(client.url, error);
  } finally {
    stream.destroy();
  }
  const head: unknown = line === undefined ? undefined : JSON.parse(line);
  if (typeof head !== 'object' || head === null || !('version' in head) || typeof head.version !== 'number') {
    throw new CommandError(`${client.url} did not respond with a feed: check the URL`);
  }
  const options = 'options_checksum' in head ? String(head.options_checksum) : '';
  return { version: head.version, options };
}
