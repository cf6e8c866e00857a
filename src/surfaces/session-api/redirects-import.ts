import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import { pathText, queryInteger, queryObject } from '../../http/fields.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { withUpload } from '../../http/upload.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireImport, streamImportErrors } from '../../redirects/import/find-import.ts';
import { findRows, streamRows } from '../../redirects/import/read-verdicts.ts';
import { importCsv } from '../../redirects/import/import-csv.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { VERDICTS } from '../../vocabulary/import-verdict.ts';
import { importErrorsCsv } from './import-errors-csv.ts';
import { importParameters, readImportOptions } from './import-options.ts';
import { importReportCsv } from './import-report-csv.ts';
import { FileImportBody, fileImportBody, ImportRowBody, importRowBody } from './import-wire.ts';

/** What the form may hold; the spool and readImportOptions read it. */
const Form = z.object({ file: z.file(), ...importParameters });

const Params = z.object({ id: pathText });
const OfVerdict = { verdict: z.enum(VERDICTS).optional() };
const RowsQuery = queryObject({
  ...OfVerdict,
  offset: queryInteger(0, 10_000_000).optional(),
  limit: queryInteger(1, 500).optional(),
});
const RowsAnswer = z.object({ rows: z.array(ImportRowBody), total: z.int() });

/** POST /api/redirects/import; GET /api/imports/{id}/errors, /rows, /report. */
export function importRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;

  app.post(
    '/redirects/import',
    // A dry run is for viewers too; the handler asks for more where something changes.
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
      return sendStream(csvFile(reply, `${id}-errors.csv`), rows);
    },
  );
  rowRoutes(app, deps);
}

/** Every row of a dry run with its verdict: as windows for a screen, and as a file. */
function rowRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, streams } = deps;

  app.get(
    '/imports/:id/rows',
    {
      config: { role: 'viewer' },
      schema: { params: Params, querystring: RowsQuery, response: { 200: RowsAnswer } },
    },
    async ({ actor, params, query }) => {
      const { verdict, offset = 0, limit = 100 } = query;
      const found = await findRows(db, await requireImport(db, actor, params.id), { verdict, offset, limit });
      return { rows: found.rows.map(importRowBody), total: found.total };
    },
  );

  app.get(
    '/imports/:id/report',
    {
      config: { role: 'viewer', gives: { 'text/csv': z.string() } },
      exposeHeadRoute: false,
      schema: { params: Params, querystring: queryObject(OfVerdict) },
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

function fileMissing(): DomainError {
  return new DomainError('MISSING_PARAMETER', 'The form has no file', {
    details: 'file: send the CSV file as one part of the form (curl -F file=@redirects.csv)',
    issues: [{ path: 'file', code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}
