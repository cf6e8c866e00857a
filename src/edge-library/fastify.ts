import { describesBody, replaceResponse } from './node-response.ts';
import type { Edge, EdgeAnswer, FastifyPlugin, NodeResponse } from './types.ts';

interface Request {
  originalUrl: string;
  method: string;
  protocol: string;
  headers: { host?: string | undefined };
}

interface Reply {
  statusCode: number;
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  getHeaders(): Record<string, unknown>;
  removeHeader(name: string): Reply;
  send(body: string): unknown;
}

interface RawRequest {
  url?: string;
  method?: string;
  headers: { host?: string | undefined };
}

/** Statuses of targets that Fastify rejects before its hooks: wrong escapes, and long values of parameters. */
const BEFORE_HOOKS = [400, 414];
const MAY_BE_REJECTED = /%|[^/]{100}/;

/**
 * Returns a plugin for Fastify, for `app.register`. Without `onlyOn404` it responds before any route. With it, every 404
 * of the application becomes a redirect if a rule matches, those of its routes included.
 */
export function fastifyPlugin(edge: Edge): FastifyPlugin {
  const answerTo = ({ originalUrl, method, protocol, headers }: Request): EdgeAnswer | null =>
    edge.answer({ target: originalUrl, method, host: headers.host, scheme: protocol });

  const plugin: FastifyPlugin = (server, _options, done) => {
    if (edge.onlyOn404) {
      server.addHook('onSend', (request: Request, reply: Reply, payload: unknown, next: Next) => {
        const answer = reply.statusCode === 404 ? answerTo(request) : null;
        if (!answer) return next(null, payload);
        discard(payload);
        for (const name of Object.keys(reply.getHeaders())) if (describesBody(name)) reply.removeHeader(name);
        setHead(reply, answer);
        next(null, answer.body);
      });
      return done();
    }
    server.addHook('onRequest', (request: Request, reply: Reply, next: Next) => {
      const answer = answerTo(request);
      if (!answer) return next();
      setHead(reply, answer).send(answer.body);
    });
    server.server.prependListener('request', ({ url = '/', method, headers }: RawRequest, response: NodeResponse) => {
      if (!MAY_BE_REJECTED.test(url)) return;
      const answer = edge.answer({ target: url, method, host: headers.host });
      if (answer) replaceResponse(response, BEFORE_HOOKS, answer);
    });
    done();
  };
  // The hooks are for the whole application, not only for what is registered inside the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'detour' });
}

type Next = (error?: Error | null, payload?: unknown) => void;

function setHead(reply: Reply, { status, headers }: EdgeAnswer): Reply {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  return reply;
}

/** Ends a stream that is not sent. */
function discard(payload: unknown): void {
  if (typeof payload !== 'object' || payload === null || !('destroy' in payload)) return;
  if (typeof payload.destroy === 'function') payload.destroy();
}
