import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { readAtMinRate } from '../../http/upload.ts';
import { queryBoolean, queryObject } from '../../http/fields.ts';
import { withZod } from '../../http/zod.ts';
import { importJson, importNdjson } from '../../redirects/import/import-bulk.ts';
import type { ImportResult } from '../../redirects/import/run-import.ts';
import { DomainError, wrongParameter } from '../../vocabulary/error.ts';
import { BulkBody, BulkEntry, BulkResult } from './bulk-wire.ts';

/** `batch_info` reports batches of this size because the specification requires it. Imports do not run in batches. */
const BATCH_SIZE = 1_000;

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

const Query = queryObject({
  website_id: z.string().optional(),
  group_id: z.string().optional(),
  target_environments: z.string().optional(),
  dry_run: queryBoolean.optional(),
});

/** POST /api/v1/redirects/bulk. Needs a separate scope, because it parses bodies as streams. */
export async function bulkImportRoute(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([JSON_TYPE, NDJSON_TYPE], (_request, payload, done) => done(null, payload));
  const takes = { [JSON_TYPE]: BulkBody, [NDJSON_TYPE]: BulkEntry };
  const schema = { querystring: Query, response: { 200: BulkResult } };
  withZod(app).post('/redirects/bulk', { config: { takes }, schema }, async (request) => {
    const body = decoded(request);
    try {
      const result = await importBody(deps, request, body);
      deps.committed();
      return bulkImportBody(result);
    } finally {
      // After an early error, discard the rest of the body, so that the client reads the response.
      await body.return(undefined);
      request.raw.resume();
    }
  });
}

function importBody(
  deps: SurfaceDeps,
  request: FastifyRequest<{ Querystring: z.output<typeof Query> }>,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const { query } = request;
  if (!isNdjson(request)) return importJson(deps, request.actor, withoutQuery(query, body));
  const { target_environments: environments, ...parameters } = query;
  const list = environments?.trim() === '' ? [] : environments?.split(',').map((name) => name.trim());
  return importNdjson(deps, request.actor, { ...parameters, target_environments: list }, body);
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
