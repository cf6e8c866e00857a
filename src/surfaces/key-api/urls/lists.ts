import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  actorField,
  bodyObject,
  component,
  EnvironmentName,
  listOf,
  queryObject,
  Timestamp,
} from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { listUrlLists } from '../../../urls/lists.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { pushedBody } from './push.ts';
import { environment, listName, urlParams, URLS } from './url-wire.ts';

const count = (text: string) => z.int().describe(text);
const listVersion = count('The version of the list.');

export const List = component('UrlList', {
  list: z.string().describe('The name of the list.'),
  environment: EnvironmentName.describe('Its environment.'),
  list_version: listVersion,
  total: count('Its URLs.'),
  pushed_at: Timestamp.describe('The last push, also one that changed nothing.'),
  fetched_at: Timestamp.nullable().describe('Of a list of a sitemap: the last fetch.'),
  problem: z.string().nullable().describe('Of a list of a sitemap: why the last fetch failed; null if it did not.'),
  versions: listOf('States that can be restored, newest first: the last ten of 30 days.', {
    list_version: listVersion,
    total: count('URLs of the state.'),
    added: count('URLs that it had more than the state before.'),
    removed: count('URLs that it had no more.'),
    actor: actorField,
    created_at: Timestamp.describe('When it was pushed.'),
  }),
});

/** GET /urls/lists, POST /urls/restore. */
export function urlListRoutes(api: Api, { db, jobs }: SurfaceDeps): void {
  const { read } = keyDialect.websiteId;
  const shared = { tag: 'URLs (key API)', params: urlParams } as const;
  api.get(`${URLS}/lists`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'listUrlListsV1',
    summary: 'List the lists of living URLs',
    returns: 'The lists by environment and name.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    querystring: queryObject({ environment: EnvironmentName.optional().describe('Only lists of this environment.') }),
    response: { 200: z.object({ lists: z.array(List).describe('The lists.') }) },
    handler: async ({ actor, params, query }) => ({
      lists: await listUrlLists(db, actor, { websiteId: read(params.id), ...query }),
    }),
  });

  api.post(`${URLS}/fetch`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'fetchUrlsV1',
    summary: 'Fetch the sitemaps',
    description:
      'Fetches the `sitemap_urls` of the website now, each as the list `sitemap:1`, `sitemap:2` and so on. A failed fetch changes nothing; `problem` of its list says why. The call ends when all are fetched.',
    returns: 'The lists of the sitemaps.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { path: { id: '1' } },
    response: { 200: z.object({ lists: z.array(List).describe('The lists.') }) },
    handler: async ({ actor, params }) => ({ lists: await jobs.fetchUrls(actor, { websiteId: read(params.id) }) }),
  });

  api.post(`${URLS}/restore`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'restoreUrlListV1',
    summary: 'Restore a list of URLs',
    description: 'Gives a list the URLs of an earlier version, as a new version.',
    returns: 'What changed.',
    errors: ['WEBSITE_NOT_FOUND', 'LIST_NOT_FOUND', 'REVISION_CHANGED', 'VALIDATION_ERROR', 'BUSY'],
    example: { path: { id: '1' }, body: { list: 'docs', list_version: 1 } },
    body: bodyObject({
      list: listName.default('main'),
      environment,
      list_version: z.int().min(1).describe('The version to restore.'),
      if_list_version: z.int().min(0).optional().describe('The version that the client has seen.'),
    }),
    response: {
      200: z.object({
        urls: z
          .object({
            total: count('Its URLs.'),
            added: count('URLs that came back.'),
            removed: count('URLs that left the list.'),
          })
          .describe('The counts.'),
        list_version: listVersion,
      }),
    },
    handler: async ({ actor, params, body }) =>
      pushedBody(await jobs.restoreUrls(actor, { websiteId: read(params.id), ...body })),
  });
}
