/** Serves the files that scripts/build-dashboard.ts builds from dashboard/. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { routeNotFound } from '../../http/errors.ts';
import { sendFile } from '../../http/static-file.ts';
import { readBuiltDashboard } from './built-files.ts';
import { PAGES } from './pages.ts';

const BUILT = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard');
const ONE_YEAR = 'public, max-age=31536000, immutable';

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

export async function dashboard(
  app: FastifyInstance,
  { config }: Pick<SurfaceDeps, 'config'>,
  dir = BUILT,
): Promise<void> {
  const built = await readBuiltDashboard(dir, {
    takesSignUps: config.signUp === 'open',
    isEmbedded: config.databaseUrl === null,
  });
  const options = { config: { public: true, isPage: true } };

  for (const path of PAGES) {
    app.get(path, options, async (request, reply) => {
      if (!built) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
      void reply.headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
      return sendFile(request, reply, built.page);
    });
  }

  app.get<{ Params: { name: string } }>('/assets/:name', options, async (request, reply) => {
    const file = built?.assets.get(request.params.name);
    if (!file) throw routeNotFound(request);
    void reply.header('Cache-Control', ONE_YEAR);
    return sendFile(request, reply, file);
  });
}
