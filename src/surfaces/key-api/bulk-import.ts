import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import { ENTRY_TYPES, entryFormat, takeStreams, withDecodedBody } from '../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { environmentList, heldBody } from '../../http/wire/fields.ts';
import { ENTRY_ERRORS } from '../../http/route-docs.ts';
import { withSpooledBody } from '../../http/body/spool.ts';
import { type Camel, namesToWire } from '../../http/wire/wire-names.ts';
import { withZod } from '../../http/wire/zod.ts';
import type { FileImportResult } from '../../redirects/import/files/import-file.ts';
import type { ImportResult } from '../../redirects/import/engine/import-request.ts';
import { missing, wrongParameter } from '../../vocabulary/error.ts';
import { keyDialect } from '../resources/dialect.ts';
import { assertNoWildcards, BulkBody, BulkEntry, BulkQuery, BulkResult } from './bulk-wire.ts';

/** `batch_info` reports batches of this size because the specification requires it. Imports do not run in batches. */
const BATCH_SIZE = 1_000;

/** POST /api/v1/redirects/bulk. Needs a separate scope, because it parses bodies as streams. */
export async function bulkImportRoute(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  takeStreams(app, Object.values(ENTRY_TYPES));
  const takes = { [ENTRY_TYPES.json]: BulkBody, [ENTRY_TYPES.ndjson]: BulkEntry, [ENTRY_TYPES.csv]: z.string() };
  withZod(app).post('/redirects/bulk', {
    config: { role: 'viewer', takes },
    operationId: 'importRedirectsV1',
    tag: 'Bulk import and export',
    summary: 'Import redirects',
    description:
      'Applies the entries in order. An entry whose path exists updates the fields that it has; any other entry creates a redirect. Invalid entries are counted and listed; all others are applied together. At most 2 GiB, counted after decompression. A dry run needs only a read key. As `application/x-ndjson`, the body has one entry per line, and the other fields are query parameters; as `text/csv`, it is a file with a header, as for the import of a file.',
    returns: 'The result.',
    errors: [...ENTRY_ERRORS, ...keyDialect.roleErrors],
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
    async handler(request) {
      const result = await withDecodedBody(request, (body) => importBody(deps, request, body));
      deps.committed();
      return bulkImportBody(result);
    },
  });
}

type BulkRequest = FastifyRequest<{ Querystring: Camel<z.output<typeof BulkQuery>> }>;

const toWire = namesToWire(BulkQuery);

function importBody(
  deps: SurfaceDeps,
  request: BulkRequest,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult | FileImportResult> {
  const { query } = request;
  const format = entryFormat(request);
  if (format === 'csv') return importFile(deps, request, body);
  if (format === 'json') return deps.jobs.importJson(request.actor, withoutQuery(toWire(query), body));
  assertNoWildcards(query);
  const { target_environments: environments, wildcards: _wildcards, ...parameters } = toWire(query);
  return deps.jobs.importNdjson(
    request.actor,
    { ...parameters, target_environments: environmentList(environments) },
    body,
  );
}

/** A CSV file is written to disk first, because its columns decide how it is read. */
function importFile(deps: SurfaceDeps, { actor, query }: BulkRequest, body: AsyncIterable<Buffer>) {
  if (query.websiteId === undefined) throw missing('website_id');
  const dryRun = query.dryRun ?? false;
  if (!dryRun) requireRole(actor, 'editor');
  const input = {
    websiteId: keyDialect.websiteId.read(query.websiteId),
    onConflict: 'update' as const,
    ...{ dryRun, isStrict: query.strict },
    defaults: { groupId: query.groupId, environments: environmentList(query.targetEnvironments) },
    wildcards: query.wildcards,
    ...{ addSlash: false, ignoreUnknown: false, columns: {}, report: false, importId: undefined },
  };
  return withSpooledBody(actor, body, (path) => deps.jobs.importFile(actor, { ...input, path }));
}

/** Throws INVALID_PARAMETER for query parameters, which a JSON body replaces. */
function withoutQuery(query: object, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const [name] = Object.keys(query);
  if (name === undefined) return body;
  throw wrongParameter(name, `must be a field of the body; query parameters are for ${ENTRY_TYPES.ndjson}`);
}

/** Invalid rows of a file are named by line, entries by index. */
function bulkImportBody(result: ImportResult | FileImportResult) {
  const isFile = 'notices' in result;
  return {
    ...result,
    success: true as const,
    summary: { ...result, totalSubmitted: result.total, errors: result.errorCount },
    processingTime: `${result.processingSeconds.toFixed(2)}s`,
    batchInfo: { batchSize: BATCH_SIZE, totalBatches: Math.ceil(result.total / BATCH_SIZE) },
    errors: result.errors.map(({ line, ...error }) => ({ ...error, ...(isFile ? { line } : { index: line }) })),
    deployments: result.deployments.map((deployment) => deployment.id),
    ...heldBody(result.held),
  };
}
