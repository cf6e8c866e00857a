/** Middleware for Express, for Next.js, and for servers whose requests and responses are those of the web. */
import type { Edge, ExpressMiddleware, FetchMiddleware, NextMiddleware } from './types.ts';
import { replaceResponse, sendAnswer } from './node-response.ts';

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

/**
 * Returns a function that responds to a request, or calls `next` for the response of the application: for workers at
 * CDNs, service workers, Deno, Bun, Hono, Astro or SvelteKit.
 */
export function fetchMiddleware(edge: Edge): FetchMiddleware {
  return async (request, next) => {
    if (!edge.onlyOn404) return edge.handle(request) ?? next(request);
    const response = await next(request);
    const redirect = response.status === 404 ? edge.handle(request) : null;
    if (!redirect) return response;
    await response.body?.cancel();
    return redirect;
  };
}

/** Marks the request that asks the application, so that the middleware does not ask again. */
const PROBE = 'x-detour-probe';
/** Headers on which the application's response may depend. */
const FORWARDED = ['accept', 'accept-language', 'authorization', 'cookie', 'user-agent'];

/**
 * Returns a middleware for Next.js. A middleware runs before the application: with `onlyOn404`, it asks the application
 * by a HEAD request, and only for requests that a rule matches.
 */
export function nextMiddleware(edge: Edge): NextMiddleware {
  return async (request) => {
    if (request.headers.has(PROBE)) return undefined;
    const redirect = edge.handle(request);
    if (!redirect) return undefined;
    return !edge.onlyOn404 || (await isMissing(request)) ? redirect : undefined;
  };
}

async function isMissing(request: Request): Promise<boolean> {
  const headers = new Headers({ [PROBE]: '1' });
  for (const name of FORWARDED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const response = await fetch(request.url, { method: 'HEAD', headers, redirect: 'manual' });
  return response.status === 404;
}
