import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import {
  bodyObject,
  component,
  EnvironmentName,
  opaqueId,
  queryInteger,
  queryObject,
  Timestamp,
} from '../../../http/wire/fields.ts';
import { type Api, withZod } from '../../../http/wire/zod.ts';
import { openUpload } from '../../../urls/uploads.ts';
import { omitUndefined } from '../../../vocabulary/omit-undefined.ts';
import { max_removals } from '../../resources/deployments/deployment-wire.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { pushedBody } from './push.ts';
import {
  BODY_ERRORS,
  BODY_FORMS,
  environment,
  listName,
  Pushed,
  pushQuery,
  takeAnyBody,
  unusedExamples,
  unusedRows,
  URL_TYPES,
  urlParams,
  URLS,
  withUrlBody,
} from './url-wire.ts';

const Upload = component('UrlUpload', {
  id: z.string().describe('The id of the upload, `upl_...`.'),
  list: z.string().describe('The list that the commit replaces.'),
  environment: EnvironmentName.describe('Its environment.'),
  from_hosts: z.array(z.string()).describe('Further hosts that count as those of the website.'),
  created_at: Timestamp.describe('When it was opened. It ends 24 hours later.'),
});

const Part = z.object({
  part: z.int().describe('The number of the part.'),
  rows: z.int().describe('Its rows.'),
  ...unusedRows,
  ...unusedExamples,
});

const params = urlParams.extend({
  upload_id: opaqueId('UPLOAD_NOT_FOUND', 'Upload').describe('The id of the upload, `upl_...`.'),
});
/** The options of the query, which the body may also have. A value in the body takes precedence. */
const commitBody = {
  max_removed: max_removals.describe('As in the query.'),
  if_list_version: z.int().min(0).max(999_999_999).optional().describe('As in the query.'),
  dry_run: z.boolean().optional().describe('As in the query.'),
};
const shared = { tag: 'URLs (key API)' } as const;

/** POST /urls/uploads, /urls/uploads/{upload_id}/commit. */
export function urlUploadRoutes(api: Api, { db, jobs }: SurfaceDeps): void {
  const { read } = keyDialect.websiteId;
  api.post(`${URLS}/uploads`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'openUrlUploadV1',
    summary: 'Open an upload of URLs',
    description:
      'For a list that arrives in several bodies, such as the sitemaps of an index. Nothing changes until its commit.',
    returns: 'The upload.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS'],
    example: { path: { id: '1' }, body: { list: 'shop' } },
    params: urlParams,
    body: bodyObject({
      list: listName.default('main'),
      environment,
      from_hosts: z.array(z.string()).default([]).describe('Further hosts whose URLs count as those of the website.'),
    }),
    response: { 201: z.object({ upload: Upload.describe('The upload.') }) },
    async handler({ actor, params: { id }, body }) {
      return { upload: await openUpload(db, actor, { websiteId: read(id), ...body }) };
    },
  });

  api.post(`${URLS}/uploads/:upload_id/commit`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'commitUrlUploadV1',
    summary: 'Commit an upload of URLs',
    description: 'Replaces the list by all parts in the order of their numbers, and ends the upload.',
    returns: 'As the push of a list.',
    errors: ['UPLOAD_NOT_FOUND', ...BODY_ERRORS, 'TOO_MANY_GONE', 'REVISION_CHANGED'],
    example: { path: { id: '1', upload_id: EXAMPLE_IDS.urlUpload }, body: { max_removed: '20%' } },
    params,
    querystring: queryObject(pushQuery),
    body: bodyObject(commitBody),
    response: { 200: Pushed },
    async handler({ actor, params: { id, uploadId }, query, body }) {
      const options = { ...query, ...omitUndefined(body), dryRun: query.dryRun || body.dryRun === true };
      return pushedBody(await jobs.commitUrlUpload(actor, { websiteId: read(id), uploadId, ...options }));
    },
  });
}

/** POST /urls/uploads/{upload_id}/parts. Needs a separate scope, because it reads bodies as streams. */
export async function urlPartRoute(app: FastifyInstance, { jobs }: SurfaceDeps): Promise<void> {
  takeAnyBody(app);
  withZod(app).post(`${URLS}/uploads/:upload_id/parts`, {
    config: { takes: URL_TYPES, forDashboard: true },
    ...shared,
    operationId: 'addUrlPartV1',
    summary: 'Send a part of an upload',
    description: `Stores a body as a part of the upload. ${BODY_FORMS}`,
    returns: 'The part.',
    errors: ['UPLOAD_NOT_FOUND', ...BODY_ERRORS],
    example: { path: { id: '1', upload_id: EXAMPLE_IDS.urlUpload }, body: { urls: ['/shop/', '/shop/shoes'] } },
    params,
    querystring: queryObject({
      part: queryInteger(1, 50_000)
        .optional()
        .describe('Its number; the same number replaces it. Default: the next one.'),
    }),
    response: { 200: Part },
    async handler(request) {
      const { id, uploadId } = request.params;
      const input = { websiteId: keyDialect.websiteId.read(id), uploadId, ...request.query };
      return withUrlBody(request, (body) => jobs.addUrlPart(request.actor, { ...input, ...body }));
    },
  });
}
