/** The edge of the service, and applications on Express and Fastify with the edge library, all with the same rules. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { createLiveRegistry } from '../../src/deployments/live/live-registry.ts';
import type { Site } from '../../src/deployments/live/site-registry.ts';
import type { createEdge, expressMiddleware, fastifyPlugin } from '../../src/edge-library/edge.ts';
import type { Edge, EdgeBehaviour, EdgeRule } from '../../src/edge-library/types.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ruleKey } from '../../src/resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';
import { withEdge } from '../../src/surfaces/edge/edge.ts';

export interface EdgeLibrary {
  createEdge: typeof createEdge;
  expressMiddleware: typeof expressMiddleware;
  fastifyPlugin: typeof fastifyPlugin;
}

export interface EdgeServers {
  /** ports of the service, of Express and of Fastify */
  ports: { service: number; express: number; fastify: number };
  /** Replaces the rules and the options of all servers. Returns the edge of the library. */
  use(hostname: string, rules: EdgeRule[], options: EdgeBehaviour): Edge;
  close(): Promise<void>;
}

/** The body of the applications' own responses. */
const OWN_BODY = 'the application';
const MAX_HEADER_BYTES = 65_536;

/** Starts the servers. With `onlyOn404`, the applications respond to every request with a 404 of a route. */
export async function startEdgeServers(library: EdgeLibrary, onlyOn404 = false): Promise<EdgeServers> {
  const registry = createLiveRegistry();
  let current: Edge | undefined;
  const edge: Pick<Edge, 'answer' | 'onlyOn404'> = { onlyOn404, answer: (visit) => current?.answer(visit) ?? null };

  const schemeOf = (request: { headers: Record<string, unknown> }): string | undefined => {
    const scheme = request.headers['x-forwarded-proto'];
    return typeof scheme === 'string' ? scheme : undefined;
  };
  const listener = withEdge(
    { rulesets: registry, clock: systemClock, requestId: () => 'id', schemeOf },
    (_request, response) => response.writeHead(421).end(),
  );
  const service = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener);

  const app = express();
  app.set('trust proxy', true);
  app.use(library.expressMiddleware(edge as Edge));
  app.use((_request, response) => void response.status(404).type('text').send(OWN_BODY));
  const onExpress = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, app);

  const other = fastify({ trustProxy: true, http: { maxHeaderSize: MAX_HEADER_BYTES } });
  await other.register(library.fastifyPlugin(edge as Edge));
  other.setNotFoundHandler((_request, reply) => reply.code(404).send(OWN_BODY));
  await other.listen({ port: 0, host: '127.0.0.1' });

  const [servicePort, expressPort] = [await portOf(service), await portOf(onExpress)];
  return {
    ports: { service: servicePort, express: expressPort, fastify: (other.server.address() as AddressInfo).port },
    use(hostname, rules, options) {
      registry.setSite(siteOf(hostname, options));
      const live = { version: 1, ruleset: rulesetFrom(rules) };
      registry.setRules(1, 'production', { ...registry.rules(1, 'production'), ...live });
      current = library.createEdge({ rules, ...options });
      return current;
    },
    async close() {
      for (const server of [service, onExpress]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await other.close();
    },
  };
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function siteOf(hostname: string, options: EdgeBehaviour): Site {
  return {
    id: 1,
    accountId: 1,
    caseSensitive: options.case_sensitive ?? true,
    trailingSlash: options.trailing_slash ?? 'ignore',
    query: options.query ?? 'pass',
    fallbackUrl: options.fallback_url ?? null,
    allowedTargetHosts: [],
    hosts: [{ hostname, environment: 'production' }],
  };
}

function rulesetFrom(rules: EdgeRule[]): Ruleset {
  const draft = emptyRuleset().fork();
  for (const [
    index,
    { old_path: oldPath, new_path: newPath, status_code: status, is_regex: isRegex },
  ] of rules.entries())
    draft.add({
      id: index + 1,
      key: ruleKey(oldPath, isRegex ?? false),
      isRegex: isRegex ?? false,
      newPath: newPath ?? null,
      statusCode: status ?? 301,
    });
  return draft.seal();
}

export interface SentRequest {
  method: string;
  /** one character per byte */
  target: string;
  headers: string[];
}

/** Sends requests on one connection without waiting, and reads the responses in order: the fields that must be equal. */
export async function pipeline(port: number, requests: SentRequest[]): Promise<string[]> {
  const bytes = requests.map(({ method, target, headers }, index) => {
    const last = index === requests.length - 1 ? ['Connection: close'] : [];
    return `${[`${method} ${target} HTTP/1.1`, ...headers, ...last].join('\r\n')}\r\n\r\n`;
  });
  const received = await new Promise<string>((resolve, reject) => {
    const chunks: string[] = [];
    const socket = connect(port, '127.0.0.1', () => void socket.write(Buffer.from(bytes.join(''), 'latin1')));
    socket.setEncoding('latin1').setTimeout(60_000, () => socket.destroy(new Error('the server is silent')));
    socket.on('data', (chunk: string) => chunks.push(chunk));
    socket.on('error', reject).on('close', () => resolve(chunks.join('')));
  });
  return responsesIn(received, requests);
}

const COMPARED = ['location', 'cache-control', 'x-redirect-by'];

function responsesIn(received: string, requests: SentRequest[]): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < received.length) {
    const end = received.indexOf('\r\n\r\n', at);
    const [first = '', ...fields] = received.slice(at, end).split('\r\n');
    const headers = new Map(
      fields.map((field) => [field.replace(/:.*/s, '').toLowerCase(), field.replace(/^.*?: /s, '')]),
    );
    const length = requests[found.length]?.method === 'HEAD' ? 0 : Number(headers.get('content-length') ?? 0);
    const body = received.slice(end + 4, end + 4 + length);
    at = end + 4 + length;
    found.push(comparable(Number(first.split(' ')[1]), headers, body));
  }
  return found;
}

function comparable(status: number, headers: Map<string, string>, body: string): string {
  // If the service has no redirect, the application responds. Fastify rejects wrong escapes, and Node wrong characters.
  if ([400, 404, 414].includes(status)) return 'no redirect';
  return [status, ...COMPARED.map((name) => `${name}: ${headers.get(name)}`), body].join('\n');
}
