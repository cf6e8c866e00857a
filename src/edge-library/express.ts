import { replaceResponse, sendAnswer } from './node-response.ts';
import type { Edge, ExpressMiddleware } from './types.ts';

/**
 * Returns a middleware for Express, and for servers with the same interface (Connect, Polka, Restify). Without
 * `onlyOn404`, use it before the routes. With it, before or after them: every 404 of the application becomes a redirect
 * if a rule matches, those of its routes included.
 */
export function expressMiddleware(edge: Edge): ExpressMiddleware {
  return (request, response, next) => {
    const answer = edge.answer({
      // Routers cut their mount path from `url`.
      target: request.originalUrl ?? request.url ?? '/',
      method: request.method,
      host: request.headers.host,
      scheme: request.protocol,
    });
    if (!answer) return next();
    if (!edge.onlyOn404) return sendAnswer(response, answer);
    replaceResponse(response, [404], answer);
    next();
  };
}
