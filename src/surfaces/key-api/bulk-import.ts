import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { readAtMinRate } from '../../http/read-body.ts';
import { IMPORT_ERRORS } from '../../http/route-docs.ts';
import { withZod } from '../../http/zod.ts';
import type { ImportResult } from '../../redirects/import/run-import.ts';
import { DomainError, wrongParameter } from '../../vocabulary/error.ts';
import { BulkBody, BulkEntry, BulkQuery, BulkResult } from './bulk-wire.ts';

/** `batch_info` reports batches of this size because the specification requires it. Imports do not run in batches. */
const BATCH_SIZE = 1_000;

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** POST /api/v1/redirects/bulk. Needs a separate scope, because it parses bodies as streams. */
export async function bulkImportRoute(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([JSON_TYPE, NDJSON_TYPE], (_request, payload, done) => done(null, payload));
  const takes = { [JSON_TYPE]: BulkBody, [NDJSON_TYPE]: BulkEntry };
  withZod(app).post(
    '/redirects/bulk',
    {
      config: { role: 'viewer', takes },
      schema: {
        operationId: 'importRedirectsV1',
        tag: 'Bulk import and export',
        summary: 'Import redirects',
        description:
          'Applies the entries in order. An entry whose path exists updates the fields that it has; any other entry creates a redirect. Invalid entries are counted and listed; all others are applied together. At most 2 GiB; with `Content-Encoding: gzip` the limit is on the decompressed size. Fields may come in any order. A dry run needs only a read key. As `application/x-ndjson`, the body has one entry per line, and the other fields are query parameters.',
        returns: 'The result.',
        errors: [...IMPORT_ERRORS, 'DUPLICATE_FIELD', 'INSUFFICIENT_ROLE', 'INSUFFICIENT_SCOPE'],
        example: {
          body: {
            website_id: '1',
            group_id: 'relaunch',
            target_environments: ['production'],
            redirects: [
              { old_path: '/team', new_path: '/company/team', status_code: 301 },
              { old_path: '/press', new_path: '/press' },
            ],
          },
        },
        querystring: BulkQuery,
        response: { 200: BulkResult },
      },
    },
    async (request) => {
      const body = decoded(request);
      try {
        const result = await importBody(deps, request, body);
        deps.committed();
        return bulkImportBody(result);
      } finally {
        // After an early error, discard the rest of the body, so that the client reads the response. The worker thread
        // may wait for the next chunk of it.
        void body.return(undefined).finally(() => request.raw.resume());
      }
    },
  );
}

function importBody(
  deps: SurfaceDeps,
  request: FastifyRequest<{ Querystring: z.output<typeof BulkQuery> }>,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const { query } = request;
  if (!isNdjson(request)) return deps.jobs.importJson(request.actor, withoutQuery(query, body));
  const { target_environments: environments, ...parameters } = query;
  const list = environments?.trim() === '' ? [] : environments?.split(',').map((name) => name.trim());
  return deps.jobs.importNdjson(request.actor, { ...parameters, target_environments: list }, body);
}

function isNdjson(request: FastifyRequest): boolean {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === NDJSON_TYPE;
}

/** Throws INVALID_PARAMETER for query parameters, which a JSON body replaces. */
function withoutQuery(query: object, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const [name] = Object.keys(query);
  if (name === undefined) return body;
  throw wrongParameter(name, `must be a field of the body; query parameters are for ${NDJSON_TYPE}`);
}

async function* decoded(request: FastifyRequest): AsyncGenerator<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return yield* readAtMinRate(request.raw);
  if (encoding !== 'gzip') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content encoding is not supported', {
      details: 'Content-Encoding: send gzip, or omit the header',
    });
  }
  const plain = createGunzip();
  // An error on either side destroys the other stream; the loop below receives it from `plain`.
  const unzipping = pipeline(readAtMinRate(request.raw), plain).catch(() => {});
  try {
    yield* plain as AsyncIterable<Buffer>;
    await unzipping;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new DomainError('INVALID_JSON', 'The body is not valid gzip', {
      details: 'Content-Encoding: the body cannot be decompressed; no redirect was imported',
    });
  } finally {
    // A caller that stops early continues with the request, which must have no other reader then.
    plain.destroy();
    await unzipping;
  }
}

function bulkImportBody(result: ImportResult): z.output<typeof BulkResult> {
  return {
    success: true,
    import_id: result.importId,
    summary: {
      total_submitted: result.total,
      created: result.created,
      updated: result.updated,
      errors: result.errorCount,
      ...(result.unchanged !== undefined && { unchanged: result.unchanged }),
    },
    processing_time: `${result.processingSeconds.toFixed(2)}s`,
    batch_info: { batch_size: BATCH_SIZE, total_batches: Math.ceil(result.total / BATCH_SIZE) },
    errors: result.errors.map(({ line, oldPath, code, message }) => ({
      index: line,
      old_path: oldPath,
      code,
      message,
    })),
    deployments: result.deployments.map((deployment) => deployment.id),
  };
}
