/** The public types of `detour/edge`. scripts/build-edge.ts publishes this file as it is, so it imports nothing. */

/** A redirect, with the names of the API. */
export interface EdgeRule {
  /** a whole number, for the application only; default: the position in the list, from 1 */
  id?: string | number;
  /** a path such as `/old` or `/old?page=2`, or a pattern */
  old_path: string;
  /** a path, or an https URL; null or absent for 410 and 451 */
  new_path?: string | null;
  /** 301 (default), 302, 303, 307, 308, 410 or 451 */
  status_code?: number;
  is_regex?: boolean;
  /** ISO 8601 with a zone; null or absent: an open end */
  active_from?: string | null;
  active_until?: string | null;
}

export interface EdgeBehaviour {
  /** Default: true. With a feed, the website decides, unless it is set here. So do the next three. */
  case_sensitive?: boolean;
  /** Default: ignore. */
  trailing_slash?: 'ignore' | 'exact';
  /** Default: pass. */
  query?: 'pass' | 'drop' | 'exact';
  /** The target of every request without a rule. Default: null, which leaves it to the application. */
  fallback_url?: string | null;
  /** The application's hosts, such as `shop.example` or `*.shop.example`; others are left alone. Default: any host. */
  hosts?: readonly string[];
  /** The application responds first; only its 404 becomes a redirect. Adapters follow it. Default: false. */
  onlyOn404?: boolean;
  /** The scheme that the framework reports is that of the visitor. Default: false, which suits unknown proxies. */
  trustScheme?: boolean;
  /** The time in milliseconds since 1970, for rules with a window. Default: Date.now. */
  now?: () => number;
}

/** Rules that are part of the application. */
export interface EdgeRulesOptions extends EdgeBehaviour {
  rules: readonly EdgeRule[];
  /** Called by createEdge for each problem of a rule that it skips. Default: one line by console.warn. */
  onWarning?: (warning: EdgeWarning) => void;
}

/** A problem of a rule, which is skipped. */
export interface EdgeWarning {
  /** in `rules`, from 0 */
  index: number;
  /** such as `old_path`; empty for the rule as a whole */
  field: string;
  /** what is wrong, and what to write */
  message: string;
  rule: unknown;
}

/** Rules that follow the live version of a website. */
export interface EdgeFeedOptions extends EdgeBehaviour {
  /** of the service, such as `https://detour.example.com` */
  url: string;
  /** an API key; read scope is enough */
  key: string;
  /** the id of the website */
  website: string | number;
  /** Default: production. */
  environment?: 'production' | 'staging' | 'development';
  /** how the service lists this application among its agents; without it, it is not listed */
  name?: string;
  /** Called after each failed request to the service. The library retries, and keeps the rules that it has. */
  onError?: (error: Error) => void;
  /** Default: the global fetch. */
  fetch?: typeof fetch;
}

export type EdgeOptions = EdgeRulesOptions | EdgeFeedOptions;

/** A request, as far as the response depends on it. */
export interface EdgeVisit {
  /** the target of the request line, as the client sent it: `/path?query`, or a whole URL */
  target: string;
  /** Default: GET. */
  method?: string | undefined;
  /** the Host header */
  host?: string | undefined;
  /** `http` or `https`; used only with `trustScheme` */
  scheme?: string | undefined;
}

export interface EdgeAnswer {
  status: number;
  /** names and values, in the order of the service */
  headers: [name: string, value: string][];
  /** ASCII; empty for HEAD */
  body: string;
  /** of the rule that decided; null for the fallback and for a redirect of a whole host */
  redirectId: string | null;
}

export interface Edge {
  /** The response to a request; null if no rule matches and there is no fallback. Synchronous. */
  handle(request: Request): Response | null;
  /** The same for a server whose requests are not web standard. */
  answer(visit: EdgeVisit): EdgeAnswer | null;
  /**
   * Resolves as soon as there are rules. With a feed, rejects if the next request to the service fails: `handle` then
   * returns null until a later one succeeds.
   */
  ready(): Promise<void>;
  /** Stops following the feed. The rules stay. */
  close(): Promise<void>;
  /** the version of the rules; null before the first one, and for rules that are part of the application */
  readonly version: number | null;
  readonly onlyOn404: boolean;
}

/** The parts of Express's request that the adapter reads. */
export interface ExpressRequest {
  originalUrl?: string;
  url?: string | undefined;
  method?: string | undefined;
  protocol?: string;
  headers: { host?: string | undefined };
}

/** The parts of the response of Node.js that the adapters use. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): void;
  getHeaderNames(): string[];
  writeHead(status: number, ...rest: unknown[]): unknown;
  write(...chunk: unknown[]): boolean;
  end(...chunk: unknown[]): unknown;
}

export type ExpressMiddleware = (request: ExpressRequest, response: NodeResponse, next: () => void) => void;

/** The parts of Fastify that the adapter uses. */
export interface FastifyServer {
  addHook(name: string, hook: (...values: never[]) => unknown): unknown;
  server: { prependListener(event: string, listener: (...values: never[]) => void): unknown };
}

export type FastifyPlugin = (server: FastifyServer, options: unknown, done: () => void) => void;

/** A middleware of Next.js; undefined passes the request on. */
export type NextMiddleware = (request: Request) => Promise<Response | undefined>;

/** A handler of requests that calls `next` for the response of the application. */
export type FetchMiddleware = (
  request: Request,
  next: (request: Request) => Response | Promise<Response>,
) => Promise<Response>;
