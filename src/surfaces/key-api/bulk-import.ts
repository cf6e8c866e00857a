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
import { DomainError } from '../../vocabulary/error.ts';
import { BulkBody, BulkEntry, BulkResult } from './bulk-wire.ts';

/** Processing is reported in batches of this size. */
const BATCH_SIZE = 1_000;

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

const Query = queryObject({
  website_id: z.string().optional(),
  group_id: z.string().optional(),
  target_environments: z.string().optional(),
  dry_run: queryBoolean.optional(),
});

/** POST /api/v1/redirects/bulk. In a scope of its own: here a body is a stream, never a value. */
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
      return answer(result);
    } finally {
      // A refusal may come early: what is still being sent is read past, so that the client gets to read the answer.
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
  if (!isNdjson(request)) return importJson(deps, request.actor, onlyBody(query, body));
  const { target_environments: environments, ...parameters } = query;
  const names = environments === undefined || environments.trim() === '' ? [] : environments.split(',');
  const list = environments === undefined ? undefined : names.map((name) => name.trim());
  return importNdjson(deps, request.actor, { ...parameters, target_environments: list }, body);
}

function isNdjson(request: FastifyRequest): boolean {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === NDJSON_TYPE;
}

/** The body says everything itself; parameters beside it would be dropped silently. */
function onlyBody(query: object, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const [name] = Object.keys(query);
  if (name === undefined) return body;
  throw new DomainError('INVALID_PARAMETER', `${name}: belongs into the body`, {
    details: `${name}: with a JSON body the fields stand in it; query parameters go with ${NDJSON_TYPE}`,
  });
}

async function* decoded(request: FastifyRequest): AsyncGenerator<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return yield* readAtMinRate(request.raw);
  if (encoding !== 'gzip') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content encoding is not supported', {
      details: 'Content-Encoding: send gzip, or nothing',
    });
  }
  const plain = createGunzip();
  // What fails on either side ends the other; the reader below is told by its own stream.
  const unzipping = pipeline(readAtMinRate(request.raw), plain).catch(() => {});
  try {
    // Decompressed as it is read: what is counted is what comes out, a piece at a time.
    yield* plain as AsyncIterable<Buffer>;
    await unzipping;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new DomainError('INVALID_JSON', 'The body is not valid gzip', {
      details: 'Content-Encoding: the body cannot be decompressed; nothing was applied',
    });
  }
}

function answer(result: ImportResult): z.output<typeof BulkResult> {
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
