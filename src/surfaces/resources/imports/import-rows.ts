import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { opaqueId, queryInteger, queryObject, component, part } from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { requireImport, streamImportErrors } from '../../../redirects/import/verdicts/find-import.ts';
import { findRows, streamRows } from '../../../redirects/import/verdicts/read-verdicts.ts';
import { ROW_CHANGES, ROW_FIELDS, ROW_NOTICES, type RowField, VERDICTS } from '../../../vocabulary/import/verdict.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { importErrorsCsv, importReportCsv } from './import-report.ts';

const Params = z.object({ id: opaqueId('IMPORT_NOT_FOUND', 'Import').describe('The id of the import, `imp_...`.') });
const verdict = z.enum(VERDICTS).optional().describe('Only rows with this verdict.');
const notice = z
  .enum(ROW_NOTICES)
  .optional()
  .describe(
    'Only rows that this notice concerns: its code, an option of which they want another value than the website has, or `option:value`, all rows that want this value.',
  );

/** Its keys are data: the names of fields. */
const Cells: z.ZodType<Record<string, string>, Partial<Record<RowField, string>>> = z.partialRecord(
  z.enum(ROW_FIELDS),
  z.string(),
);

/** A row of a dry run. */
export function importRowSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('ImportRow'), {
    line: z.int().describe('The line of the file at which the row starts; the header is line 1.'),
    verdict: z
      .enum(VERDICTS)
      .describe(
        'What would happen to the row: `new`; `replaces`; `unchanged`, the redirect is identical; `skipped`, the path has another redirect; `repeated`, another row decides about the path; `invalid`.',
      ),
    old_path: z.string().nullable().describe('The path as in the file; null if the row could not be read that far.'),
    new_path: z.string().nullable().describe('The target; null if the row is invalid or has no target.'),
    status_code: z.int().nullable().describe('The status; null if the row is invalid.'),
    is_regex: z.boolean().nullable().describe('Whether it is a pattern; null if the row is invalid.'),
    there: part('The existing redirect of the path; otherwise null.', {
      id: id.describe('The id of the redirect.'),
      new_path: z.string().nullable().describe('Its target; null for 410 and 451.'),
      status_code: z.int().describe('Its status.'),
    }).nullable(),
    changes: z.array(z.enum(ROW_CHANGES)).describe('The fields in which the row differs from the existing redirect.'),
    by_line: z
      .int()
      .nullable()
      .describe('The line of the row that decides about the path; null unless the row is `repeated`.'),
    error: part('Why the row is invalid; null if it is valid.', {
      column: z.string().describe('The field that is invalid, such as `old_path`.'),
      code: z.string().describe('The error code.'),
      message: z.string().describe('What is wrong and what is expected.'),
    }).nullable(),
    values: Cells.nullable().describe(
      'The cells of an invalid row as in the file, by field, to send some of them in `corrections`. Null for a valid row, and for one beyond the first 100,000 invalid rows or 64 MiB.',
    ),
  });
}

/** GET /imports/{id}/errors: the rejected rows as CSV. */
export function importErrorsRoute(app: Api, { db, streams, streamShares }: SurfaceDeps, dialect: Dialect): void {
  const querystring = queryObject({
    format: z.enum(['csv']).optional().describe('The response format, always `csv`.'),
  });
  app.get('/imports/:id/errors', {
    config: { gives: { 'text/csv': z.string() } },
    exposeHeadRoute: false,
    ...dialect.operation('getImportErrors', 'imports'),
    summary: 'Download the invalid rows',
    description:
      'All invalid rows, including those beyond the 1,000 in the response of the import, with every column of the file. Fixed, it can be imported as it is: an import ignores the columns of the error. The first 100,000 rows, at most 64 MiB, are whole; the others have only the error.',
    returns:
      'A CSV file: line, column, code, message, and the columns of the imported file; `old_path` if the entries were sent as JSON.',
    responseHeaders: ['Content-Disposition'],
    errors: ['IMPORT_NOT_FOUND', 'BUSY'],
    example: { path: { id: EXAMPLE_IDS.import } },
    params: Params,
    querystring,
    async handler({ actor, params }, reply) {
      const { id, headers } = await requireImport(db, actor, params.id);
      const rows = importErrorsCsv(headers, streamImportErrors(streams, id));
      return sendStream(csvFile(reply, `${id}-errors.csv`), streamShares.lists(actor), () => rows);
    },
  });
}

/** GET /imports/{id}/rows and /report: the rows of a dry run with their verdicts, in pages and as CSV. */
export function importRowRoutes(app: Api, { db, streams, streamShares }: SurfaceDeps, dialect: Dialect): void {
  const Rows = z.object({
    rows: z.array(importRowSchema(dialect)).describe('The requested rows.'),
    total: z.int().describe('The number of all rows, or of those with the verdict and the notice.'),
  });
  app.get('/imports/:id/rows', {
    ...dialect.operation('listImportRows', 'imports'),
    summary: 'List the rows of a checked file',
    description:
      'Every row with its verdict, in the order of the file, for one hour after a dry run with `report=true`. `offset` gives direct access to any position.',
    returns: 'The requested rows and their total number.',
    errors: ['IMPORT_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.checkedFile }, query: { limit: 5 } },
    params: Params,
    querystring: queryObject({
      verdict,
      notice,
      offset: queryInteger(0, 10_000_000).optional().describe('The number of rows to skip. Default 0.'),
      limit: queryInteger(1, 500).optional().describe('The maximum number of rows. Default 100.'),
    }),
    response: { 200: Rows },
    async handler({ actor, params, query: { verdict, notice, offset = 0, limit = 100 } }) {
      return findRows(db, await requireImport(db, actor, params.id), { verdict, notice, offset, limit });
    },
  });

  app.get('/imports/:id/report', {
    config: { gives: { 'text/csv': z.string() } },
    exposeHeadRoute: false,
    ...dialect.operation('getImportReport', 'imports'),
    summary: 'Download the rows of a checked file',
    description:
      'Every row with its verdict, or only those with `verdict` and `notice`, for one hour after a dry run with `report=true`. With `verdict=invalid` and no `notice`, the same file as the list of errors: every column of the file, which can be fixed and imported.',
    returns:
      'A CSV file: line, verdict, reason, old_path, new_path, status_code, is_regex, current_new_path, current_status_code, redirect_id.',
    responseHeaders: ['Content-Disposition'],
    errors: ['IMPORT_NOT_FOUND', 'BUSY'],
    example: { path: { id: EXAMPLE_IDS.checkedFile } },
    params: Params,
    querystring: queryObject({ verdict, notice }),
    async handler({ actor, params, query }, reply) {
      const found = await requireImport(db, actor, params.id);
      const { verdict, notice } = query;
      const isInvalid = verdict === 'invalid' && notice === undefined;
      // The list of errors outlives the report, which has expired if this throws.
      if (isInvalid) await findRows(db, found, { verdict, notice, offset: 0, limit: 1 });
      const rows = isInvalid
        ? importErrorsCsv(found.headers, streamImportErrors(streams, found.id))
        : importReportCsv(streamRows(streams, found, { verdict, notice }));
      return sendStream(csvFile(reply, `${found.id}-report.csv`), streamShares.lists(actor), () => rows);
    },
  });
}

function csvFile(reply: FastifyReply, name: string): FastifyReply {
  return reply.header('Content-Disposition', `attachment; filename="${name}"`).type('text/csv; charset=utf-8');
}
