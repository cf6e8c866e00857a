import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathText, queryInteger, queryObject } from '../../http/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireImport, streamImportErrors } from '../../redirects/import/find-import.ts';
import { findRows, type RowVerdict, streamRows } from '../../redirects/import/read-verdicts.ts';
import { ROW_CHANGES, VERDICTS } from '../../vocabulary/import-verdict.ts';
import { importErrorsCsv, importReportCsv } from './import-csv.ts';

const Params = z.object({ id: pathText });
const verdict = z.enum(VERDICTS).optional();

/** A row of a dry run. */
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

/** GET /api/imports/{id}/errors: the rejected rows as CSV. */
export function importErrorsRoute(app: Api, { db, streams }: SurfaceDeps): void {
  const querystring = queryObject({ format: z.enum(['csv']).optional() });
  app.get(
    '/imports/:id/errors',
    {
      config: { gives: { 'text/csv': z.string() } },
      exposeHeadRoute: false,
      schema: { params: Params, querystring },
    },
    async ({ actor, params }, reply) => {
      const { id } = await requireImport(db, actor, params.id);
      const rows = importErrorsCsv(streamImportErrors(streams, id));
      return sendStream(csvFile(reply, `${id}-errors.csv`), rows);
    },
  );
}

/** GET /api/imports/{id}/rows and /report: the rows of a dry run with their verdicts, in pages and as CSV. */
export function importRowRoutes(app: Api, { db, streams }: SurfaceDeps): void {
  const RowsQuery = queryObject({
    verdict,
    offset: queryInteger(0, 10_000_000).optional(),
    limit: queryInteger(1, 500).optional(),
  });
  const Rows = z.object({ rows: z.array(ImportRowBody), total: z.int() });
  app.get(
    '/imports/:id/rows',
    { schema: { params: Params, querystring: RowsQuery, response: { 200: Rows } } },
    async ({ actor, params, query: { verdict, offset = 0, limit = 100 } }) => {
      const found = await findRows(db, await requireImport(db, actor, params.id), { verdict, offset, limit });
      return { rows: found.rows.map(importRowBody), total: found.total };
    },
  );

  app.get(
    '/imports/:id/report',
    {
      config: { gives: { 'text/csv': z.string() } },
      exposeHeadRoute: false,
      schema: { params: Params, querystring: queryObject({ verdict }) },
    },
    async ({ actor, params, query }, reply) => {
      const found = await requireImport(db, actor, params.id);
      const rows = importReportCsv(streamRows(streams, found, query.verdict));
      return sendStream(csvFile(reply, `${found.id}-report.csv`), rows);
    },
  );
}

function csvFile(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .type('text/csv; charset=utf-8');
}

function importRowBody(row: RowVerdict): z.output<typeof ImportRowBody> {
  const { there: existing } = row;
  return {
    line: row.line,
    verdict: row.verdict,
    old_path: row.oldPath,
    new_path: row.newPath,
    status_code: row.statusCode,
    is_regex: row.isRegex,
    there: existing && { id: existing.id, new_path: existing.newPath, status_code: existing.statusCode },
    changes: row.changes,
    by_line: row.byLine,
    error: row.error,
  };
}
