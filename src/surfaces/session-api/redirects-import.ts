import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import { pathText, queryObject } from '../../http/fields.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { withUpload } from '../../http/spool.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireImport, streamImportErrors } from '../../redirects/import/find-import.ts';
import { type CsvImportResult, importCsv } from '../../redirects/import/import-csv.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { importErrorsCsv } from './import-errors-csv.ts';
import { ImportBody, importBody } from './import-wire.ts';
import { importParameters, readImportOptions } from './import-options.ts';

const ImportAnswer = z
  .object({
    imported: z.int(),
    skipped: z.int(),
    updated: z.int(),
    errors: z.array(z.object({ line: z.int(), column: z.string(), code: z.string(), message: z.string() })),
    error_count: z.int(),
    message: z.string(),
    notices: z.array(z.object({ code: z.string(), column: z.string(), count: z.int() })),
    columns: z.array(z.object({ header: z.string(), field: z.string().nullable() })),
    import_id: z.string(),
    deployments: z.array(z.string()),
  })
  .meta({ id: 'FileImport' });
/** What the form may hold; the spool and readImportOptions read it. */
const Form = z.object({ file: z.file(), ...importParameters });

const Params = z.object({ id: pathText });

/** POST /api/redirects/import, GET /api/imports/{id} and GET /api/imports/{id}/errors. */
export function importRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;

  app.post(
    '/redirects/import',
    // A dry run is for viewers too; the handler asks for more where something changes.
    {
      config: { role: 'viewer', takes: { 'multipart/form-data': Form } },
      schema: { querystring: queryObject(importParameters), response: { 200: ImportAnswer } },
    },
    (request) =>
      withUpload(request, async ({ fields, path }) => {
        const options = readImportOptions(request.query, fields);
        if (!options.dryRun) requireRole(request.actor, 'editor');
        if (path === undefined) throw fileMissing();
        const result = await importCsv(deps, request.actor, { ...options, path });
        deps.committed();
        return importAnswer(result, options);
      }),
  );

  app.get(
    '/imports/:id',
    {
      config: { role: 'viewer' },
      schema: { params: Params, response: { 200: z.object({ import: ImportBody }) } },
    },
    async ({ actor, params }) => ({
      import: importBody(await requireImport(db, actor, params.id)),
    }),
  );

  app.get(
    '/imports/:id/errors',
    {
      config: { role: 'viewer', gives: { 'text/csv': z.string() } },
      exposeHeadRoute: false,
      schema: { params: Params, querystring: queryObject({ format: z.enum(['csv']).optional() }) },
    },
    async ({ actor, params }, reply) => {
      const { id } = await requireImport(db, actor, params.id);
      const rows = importErrorsCsv(streamImportErrors(deps.streams, id));
      const file = reply.header('Content-Disposition', `attachment; filename="${id}-errors.csv"`);
      return sendStream(file.type('text/csv; charset=utf-8'), rows);
    },
  );
}

function fileMissing(): DomainError {
  return new DomainError('MISSING_PARAMETER', 'The form has no file', {
    details: 'file: send the CSV file as one part of the form (curl -F file=@redirects.csv)',
    issues: [{ path: 'file', code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}

function importAnswer(result: CsvImportResult, { dryRun }: { dryRun: boolean }) {
  const { created, skipped, updated, errorCount } = result;
  const counts = [
    `${created} ${dryRun ? 'would be imported' : 'imported'}`,
    `${skipped} skipped`,
    ...(updated > 0 ? [`${updated} ${dryRun ? 'would be updated' : 'updated'}`] : []),
    `${errorCount} with errors`,
  ];
  return {
    imported: created,
    skipped,
    updated,
    errors: result.errors.map(({ line, column, code, message }) => ({ line, column, code, message })),
    error_count: errorCount,
    message: counts.join(', '),
    notices: result.notices,
    columns: result.columns,
    import_id: result.importId,
    deployments: result.deployments.map((deployment) => deployment.id),
  };
}
