import { z } from 'zod';
import type { RowVerdict } from '../../redirects/import/read-verdicts.ts';
import type { CsvImportResult } from '../../redirects/import/import-csv.ts';
import { ROW_CHANGES, VERDICTS } from '../../vocabulary/import-verdict.ts';

const Verdicts = z.object({
  new: z.int(),
  replaces: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  repeated: z.int(),
  invalid: z.int(),
});

/** What became of the rows of a file, or would. */
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

export function fileImportBody(
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

export const ImportRowBody = z
  .object({
    line: z.int(),
    verdict: z.enum(VERDICTS),
    old_path: z.string().nullable(),
    new_path: z.string().nullable(),
    status_code: z.int().nullable(),
    is_regex: z.boolean().nullable(),
    there: z.object({ id: z.int(), new_path: z.string().nullable(), status_code: z.int() }).nullable(),
    changes: z.array(z.enum(ROW_CHANGES)),
    by_line: z.int().nullable(),
    error: z.object({ column: z.string(), code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'ImportRow' });

export function importRowBody(row: RowVerdict): z.output<typeof ImportRowBody> {
  const { there } = row;
  return {
    line: row.line,
    verdict: row.verdict,
    old_path: row.oldPath,
    new_path: row.newPath,
    status_code: row.statusCode,
    is_regex: row.isRegex,
    there: there && { id: there.id, new_path: there.newPath, status_code: there.statusCode },
    changes: row.changes,
    by_line: row.byLine,
    error: row.error,
  };
}
