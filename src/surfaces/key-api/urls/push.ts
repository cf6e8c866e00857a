import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { queryObject } from '../../../http/wire/fields.ts';
import { withZod } from '../../../http/wire/zod.ts';
import { keyDialect } from '../../resources/dialect.ts';
import {
  BODY_ERRORS,
  BODY_FORMS,
  bodyCounts,
  bodyExamples,
  environment,
  fromHosts,
  listName,
  Pushed,
  pushQuery,
  takeAnyBody,
  URL_TYPES,
  urlParams,
  URLS,
  withUrlBody,
} from './url-wire.ts';

const Added = z.object({
  urls: z
    .object({
      added: z.int().describe('New URLs.'),
      updated: z.int().describe('URLs with another title, text or count.'),
      unchanged: z.int().describe('URLs that the website had like this.'),
      ...bodyCounts,
    })
    .describe('The counts, which together are the rows of the body.'),
  ...bodyExamples,
});

/** PUT /urls/living, POST /urls. Needs a separate scope, because it reads bodies as streams. */
export async function urlPushRoutes(app: FastifyInstance, { jobs }: SurfaceDeps): Promise<void> {
  takeAnyBody(app);
  const api = withZod(app);
  api.put(`${URLS}/living`, {
    config: { role: 'viewer', takes: URL_TYPES, forDashboard: true },
    operationId: 'pushUrlsV1',
    tag: 'URLs (key API)',
    summary: 'Push a list of living URLs',
    description: `Makes a list exactly that of the body. Lists are independent: a URL lives while one list of the environment holds it. ${BODY_FORMS} A dry run needs only a read key.`,
    returns: 'What changed.',
    errors: [...BODY_ERRORS, 'TOO_MANY_GONE', 'REVISION_CHANGED', ...keyDialect.roleErrors],
    example: {
      path: { id: '1' },
      query: { list: 'docs' },
      body: { urls: ['/docs/', { url: '/docs/install', title: 'Installation' }] },
    },
    params: urlParams,
    querystring: queryObject({ list: listName.default('main'), environment, from_hosts: fromHosts, ...pushQuery }),
    response: { 200: Pushed },
    async handler(request) {
      const { actor, params, query } = request;
      if (!query.dryRun) requireRole(actor, 'editor');
      const input = { websiteId: keyDialect.websiteId.read(params.id), ...query };
      return pushedBody(await withUrlBody(request, (body) => jobs.pushUrls(actor, { ...input, ...body })));
    },
  });

  api.post(URLS, {
    config: { takes: URL_TYPES, forDashboard: true },
    operationId: 'addUrlsV1',
    tag: 'URLs (key API)',
    summary: 'Add URLs',
    description: `Adds URLs as known ones, and updates titles, clicks and links. No list changes. ${BODY_FORMS}`,
    returns: 'What changed.',
    errors: BODY_ERRORS,
    example: { path: { id: '1' }, body: { urls: [{ url: '/docs/install', clicks: 120, links: 3 }] } },
    params: urlParams,
    querystring: queryObject({ from_hosts: fromHosts }),
    response: { 200: Added },
    async handler(request) {
      const { actor, params, query } = request;
      const input = { websiteId: keyDialect.websiteId.read(params.id), ...query };
      const result = await withUrlBody(request, (body) => jobs.addUrls(actor, { ...input, ...body }));
      return { ...result, urls: result };
    },
  });
}

/** The response of a write of a list: the counts beside what explains them. */
export const pushedBody = <Result extends object>(result: Result) => ({ ...result, urls: result });
