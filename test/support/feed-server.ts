/** A server on a real socket that speaks the feed of one website, for tests of its followers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FeedOptions, FeedRule } from '../../src/feed-client/feed-lines.ts';
import { type Rule, ruleKey } from '../../src/resolver/rule.ts';
import { emptyRuleset } from '../../src/resolver/ruleset.ts';

export const OPTIONS: FeedOptions = {
  case_sensitive: false,
  trailing_slash: 'ignore',
  query: 'pass',
  fallback_url: null,
  allowed_target_hosts: [],
  hosts: [{ hostname: 'shop.example' }],
};

export const feedRule = (id: number, oldPath: string, newPath: string | null = `/to-${id}`): FeedRule => ({
  id: String(id),
  old_path: oldPath,
  new_path: newPath,
  status_code: newPath === null ? 410 : 301,
  is_regex: oldPath.includes('('),
  active_from: null,
  active_until: null,
});

/** The next response instead of a right one: another status, or a body that is cut or changed. */
export interface Fault {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** closes the connection after this many bytes of the feed */
  cutAfter?: number;
  checksum?: string;
}

export interface FeedServer {
  url: string;
  /** the query of each request, in order; the version of whole requests is undefined */
  requests: { path: string; query: Record<string, string>; key: string | undefined }[];
  /** Publishes the next version. Waiting requests get it. */
  publish(rules: FeedRule[], options?: Partial<FeedOptions>): void;
  /** Faults of the next responses, in order. */
  faults: Fault[];
  /** The oldest version that a difference can start from. */
  oldest: number;
  close(): Promise<void>;
}

interface Version {
  rules: FeedRule[];
  checksum: string | undefined;
}

export async function startFeedServer(port = 0): Promise<FeedServer> {
  const versions: Version[] = [{ rules: [], checksum: emptyRuleset().checksum }];
  const waiting = new Set<() => void>();
  let options = OPTIONS;
  const server = createServer((request, response) => respond(request, response));
  const optionsChecksum = (): string => String(JSON.stringify(options).length);

  const feed: FeedServer = {
    url: '',
    requests: [],
    faults: [],
    oldest: 0,
    publish(rules, changed = {}) {
      if (rules !== versions.at(-1)?.rules) versions.push({ rules, checksum: checksumOf(rules) });
      options = { ...options, ...changed };
      for (const wake of [...waiting]) wake();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function respond(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://feed');
    const query = Object.fromEntries(url.searchParams);
    feed.requests.push({ path: url.pathname, query, key: request.headers.authorization });
    const fault = feed.faults.shift();
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const since = query['since'] === undefined ? undefined : Number(query['since']);
    if (since !== undefined && since < feed.oldest) {
      response.writeHead(410).end('{"error":"The version has expired","code":"VERSION_EXPIRED"}');
      return;
    }
    const isCurrent = since === versions.length - 1 && query['options'] === optionsChecksum();
    if (isCurrent) waitForChange(query, response, () => send(response, since, fault));
    else send(response, since, fault);
  }

  function waitForChange(query: Record<string, string>, response: ServerResponse, changed: () => void): void {
    const end = (then: () => void) => () => {
      clearTimeout(timer);
      waiting.delete(wake);
      then();
    };
    const wake = end(changed);
    const timer = setTimeout(
      end(() => void response.writeHead(304).end()),
      Number(query['wait'] ?? 0) * 1_000,
    );
    waiting.add(wake);
    response.once(
      'close',
      end(() => {}),
    );
  }

  function send(response: ServerResponse, since: number | undefined, fault: Fault | undefined): void {
    const version = versions.length - 1;
    const { rules, checksum } = versions[version] ?? { rules: [], checksum: '' };
    const head = { version, count: rules.length, checksum, options, options_checksum: optionsChecksum() };
    const lines = since === undefined ? rules : differences(versions[since]?.rules ?? [], rules);
    const changed = fault?.checksum === undefined ? head : { ...head, checksum: fault.checksum };
    const text = [changed, ...lines, { end: true }].map((line) => `${JSON.stringify(line)}\n`).join('');
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (fault?.cutAfter === undefined) response.end(fault?.body ?? text);
    else response.write(text.slice(0, fault.cutAfter), () => response.destroy());
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  feed.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return feed;
}

function checksumOf(rules: FeedRule[]): string | undefined {
  const draft = emptyRuleset().fork();
  for (const rule of rules) draft.add(toRule(rule));
  return draft.seal().checksum;
}

function toRule(rule: FeedRule): Rule {
  const { id, old_path: oldPath, new_path: newPath, status_code: statusCode, is_regex: isRegex } = rule;
  return { id: Number(id), key: ruleKey(oldPath, isRegex), newPath, statusCode, isRegex };
}

function differences(before: FeedRule[], after: FeedRule[]): object[] {
  const former = new Map(before.map((rule) => [rule.id, JSON.stringify(rule)]));
  const current = new Set(after.map(({ id }) => id));
  return [
    ...before.filter(({ id }) => !current.has(id)).map(({ id }) => ({ id, line: { delete: id } })),
    ...after
      .filter((rule) => former.get(rule.id) !== JSON.stringify(rule))
      .map((rule) => ({ id: rule.id, line: { put: rule } })),
  ]
    .toSorted((a, b) => Number(a.id) - Number(b.id))
    .map(({ line }) => line);
}
