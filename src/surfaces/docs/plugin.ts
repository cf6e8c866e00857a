/** The API reference: GET /openapi.json and the page /docs. Built once, at the first request. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { createStaticFile, sendFile } from '../../http/server/static-file.ts';
import { openApi, type OpenApiOptions } from './openapi.ts';
import { VERSION } from '../../platform/version.ts';
import { renderPage } from './page/page.ts';

const PAGE = join(import.meta.dirname, 'page');

/** Only resources of this service, nothing inline, no forms. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function docs(app: FastifyInstance, { config }: Pick<SurfaceDeps, 'config'>): Promise<void> {
  const options = {
    publicUrl: config.publicUrl,
    cookieName: `${config.cookiePrefix}.session-token`,
    version: VERSION,
  };
  let reference: ReturnType<typeof buildReference> | undefined;
  const build = () => (reference ??= buildReference(app, options));

  const gives = { 'application/json': z.record(z.string(), z.unknown()) };
  app.get(
    '/openapi.json',
    {
      config: { public: true, gives },
      schema: {
        operationId: 'getOpenApi',
        tag: 'Operation',
        summary: 'This API as an OpenAPI document',
        returns: 'The OpenAPI 3.1 document.',
      },
    },
    async (request, reply) => sendFile(request, reply.header('Cache-Control', 'no-cache'), (await build()).document),
  );

  const isPage = { config: { public: true, isPage: true } };
  app.get('/docs', isPage, async (request, reply) => {
    void reply.headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
    return sendFile(request, reply, (await build()).page);
  });
  for (const [name, type] of [
    ['reference.css', 'text/css; charset=utf-8'],
    ['reference.js', 'text/javascript; charset=utf-8'],
    ['mark.svg', 'image/svg+xml'],
  ] as const) {
    const file = await createStaticFile(type, readFileSync(join(PAGE, name)));
    app.get(`/docs/${name}`, isPage, async (request, reply) =>
      sendFile(request, reply.header('Cache-Control', 'no-cache'), file),
    );
  }
}

async function buildReference(app: FastifyInstance, options: OpenApiOptions) {
  const document = await openApi(app.routeTable, options);
  return {
    document: await createStaticFile('application/json; charset=utf-8', JSON.stringify(document)),
    page: await createStaticFile('text/html; charset=utf-8', await renderPage(document)),
  };
}
