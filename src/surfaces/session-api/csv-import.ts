import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/fields.ts';
import { withUpload } from '../../http/upload.ts';
import type { Api } from '../../http/zod.ts';
import { type CsvImportResult, importCsv } from '../../redirects/import/import-csv.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { importParameters, readImportOptions } from './import-options.ts';

/** The form, for the API reference. withUpload and readImportOptions read it. */
const Form = z.object({ file: z.file(), ...importParameters });

const Verdicts = z.object({
  new: z.int(),
  replaces: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  repeated: z.int(),
  invalid: z.int(),
});

/** The result of an import or of a dry run. */
export const FileImportBody = z
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
    verdicts: Verdicts.optional(),
  })
  .meta({ id: 'FileImport' });

/** POST /api/redirects/import. Viewers may send a dry run. */
export function csvImportRoute(app: Api, deps: SurfaceDeps): void {
  app.post(
    '/redirects/import',
    {
      config: { role: 'viewer', takes: { 'multipart/form-data': Form } },
      schema: { querystring: queryObject(importParameters), response: { 200: FileImportBody } },
    },
    (request) =>
      withUpload(request, async ({ fields, path }) => {
        const options = readImportOptions(request.query, fields);
        if (!options.dryRun) requireRole(request.actor, 'editor');
        if (path === undefined) throw fileMissing();
        const result = await importCsv(deps, request.actor, { ...options, path });
        deps.committed();
        return fileImportBody(result, options);
      }),
  );
}

function fileMissing(): DomainError {
  return new DomainError('MISSING_PARAMETER', 'The form has no file', {
    details: 'file: send the CSV file as one part of the form (curl -F file=@redirects.csv)',
    issues: [{ path: 'file', code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}

function fileImportBody(
  result: CsvImportResult,
  { dryRun }: { dryRun: boolean },
): z.output<typeof FileImportBody> {
  const { created, skipped, updated, errorCount, verdicts } = result;
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
    ...(verdicts && { verdicts }),
  };
}
