/** Serves the files that scripts/build-dashboard.ts builds from dashboard/, and the package of scripts/build-package.ts. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { routeNotFound } from '../../http/errors/errors.ts';
import { createStaticFile, sendFile, type StaticFile } from '../../http/server/static-file.ts';

const BUILT = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard');

/** No other origins and nothing inline, so that markup in a path or a note stays text. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ONE_YEAR = 'public, max-age=31536000, immutable';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const PLACEHOLDER = '<meta name="detour" content="{}" />';

/** The page of the dashboard: it has the scripts of every screen, and shows the one of its path. */
export interface DashboardPage {
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** Sends the page, which then shows that the path is wrong, to a browser that opened an unknown path. */
  sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

/** Reads the built page. Without one, `send` responds with 503 and how to build it. */
export async function readDashboardPage(
  { config, cookie }: Pick<SurfaceDeps, 'config' | 'cookie'>,
  dir = BUILT,
): Promise<DashboardPage> {
  const settings = {
    takesSignUps: config.signUp === 'open',
    isEmbedded: config.databaseUrl === null,
    sendsMail: config.mail !== null,
    host: new URL(config.publicUrl).hostname,
  };
  // Scripts cannot read the cookie. Without one, the page asks for no session, so that no request fails.
  const anonymous = await readPage(dir, { ...settings, hasSession: false });
  const signedIn = await readPage(dir, { ...settings, hasSession: true });
  function send(request: FastifyRequest, reply: FastifyReply, vary = 'Accept-Encoding, Cookie'): FastifyReply {
    const page = cookie.read(request) === undefined ? anonymous : signedIn;
    if (!page) return sendNotBuilt(reply, 'dashboard');
    void reply.headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
    return sendFile(request, reply, page, vary);
  }
  return {
    send: (request, reply) => send(request, reply),
    sendNotFound: (request, reply) =>
      anonymous && isOfBrowser(request) ? send(request, reply.code(404), 'Accept, Accept-Encoding, Cookie') : undefined,
  };
}

function sendNotBuilt(reply: FastifyReply, what: string): FastifyReply {
  const text = `The ${what} is not built. Build it with: npm run build, then restart the service.\n`;
  return reply.code(503).type('text/plain; charset=utf-8').send(text);
}

/** True if a person opened an address. Programs do not ask for HTML. */
function isOfBrowser({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');
}

/** Serves the page on its paths, and the files that it loads. */
export async function dashboard(app: FastifyInstance, page: DashboardPage, dir = BUILT): Promise<void> {
  for (const path of PAGES) {
    app.get(path, { config: { public: true, isPage: true } }, async (request, reply) => page.send(request, reply));
  }
  const assets = await readAssets(join(dir, 'assets'));
  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { config: { public: true, isPage: true } },
    async (request, reply) => {
      const file = assets.get(request.params.name);
      if (!file) throw routeNotFound(request);
      return sendFile(request, reply.header('Cache-Control', ONE_YEAR), file);
    },
  );
}

/** Serves the commands and the edge library at `/detour.tgz`, for `npm install` on the machines of agents. */
export async function commandPackage(app: FastifyInstance, path = join(BUILT, '..', 'detour.tgz')): Promise<void> {
  const bytes = await readFile(path).catch(() => undefined);
  const file = bytes && (await createStaticFile('application/gzip', bytes));
  app.get('/detour.tgz', { config: { public: true, isPage: true } }, async (request, reply) =>
    file
      ? sendFile(request, reply.header('Cache-Control', 'no-cache'), file)
      : sendNotBuilt(reply, 'package of the commands'),
  );
}

/**
 * Keeps the files in memory: the page of this process names them, and a new build may replace the folder. Empty if the
 * dashboard is not built.
 */
async function readAssets(dir: string): Promise<Map<string, StaticFile>> {
  const names = await readdir(dir).catch(() => []);
  const files = names.map(async (name): Promise<[string, StaticFile]> => {
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return [name, await createStaticFile(type, await readFile(join(dir, name)))];
  });
  return new Map(await Promise.all(files));
}

/** Reads index.html with the settings that its scripts need. Undefined if the dashboard is not built. */
async function readPage(dir: string, settings: object): Promise<StaticFile | undefined> {
  const html = await readFile(join(dir, 'index.html'), 'utf8').catch(() => undefined);
  if (html === undefined) return undefined;
  const content = JSON.stringify(settings).replaceAll('"', '&quot;');
  const page = html.replace(PLACEHOLDER, `<meta name="detour" content="${content}" />`);
  return createStaticFile('text/html; charset=utf-8', page);
}

/**
 * Paths that respond with the dashboard's page. All other paths keep their response: an unknown one is a 404, in JSON for
 * programs. test/dashboard/routes.test.ts compares this list with the screens of the dashboard.
 */
export const PAGES = [
  '/',
  '/sign-in',
  '/invitation',
  '/reset-password',
  '/websites',
  '/websites/*',
  '/webhooks',
  '/webhooks/*',
  '/notices',
  '/notices/*',
  '/activity',
  '/account',
  '/account/*',
] as const;
