/** Serves the files that scripts/build-dashboard.ts builds from dashboard/. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { routeNotFound } from '../../http/errors.ts';
import { createStaticFile, sendFile, type StaticFile } from '../../http/static-file.ts';
import { PAGES } from './pages.ts';

const BUILT = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard');

/** No other origins and nothing inline, so that markup in a path or a note stays text. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT =
  'The dashboard is not built. Build it with: node scripts/build-dashboard.ts, then restart the service.\n';

const ONE_YEAR = 'public, max-age=31536000, immutable';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const PLACEHOLDER = '<meta name="detour" content="{}" />';

export async function dashboard(
  app: FastifyInstance,
  { config, cookie }: Pick<SurfaceDeps, 'config' | 'cookie'>,
  dir = BUILT,
): Promise<void> {
  const settings = { takesSignUps: config.signUp === 'open', isEmbedded: config.databaseUrl === null };
  // Scripts cannot read the cookie. Without one, the page asks for no session, so that no request fails.
  const anonymous = await readPage(dir, { ...settings, hasSession: false });
  const signedIn = await readPage(dir, { ...settings, hasSession: true });
  for (const path of PAGES) {
    app.get(path, { config: { public: true, isPage: true } }, async (request, reply) => {
      const page = cookie.read(request) === undefined ? anonymous : signedIn;
      if (!page) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
      void reply.headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
      return sendFile(request, reply, page, 'Accept-Encoding, Cookie');
    });
  }
  const assets = anonymous ? await readAssets(join(dir, 'assets')) : new Map<string, StaticFile>();
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

/** Keeps the files in memory: the page of this process names them, and a new build may replace the folder. */
async function readAssets(dir: string): Promise<Map<string, StaticFile>> {
  const files = (await readdir(dir)).map(async (name): Promise<[string, StaticFile]> => {
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
