import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { takeStreams, withDecodedBody } from '../../../http/body/decoded-body.ts';
import { withSpooledBody } from '../../../http/body/spool.ts';
import { withUpload } from '../../../http/body/upload.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { queryObject } from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { type Api, withZod } from '../../../http/wire/zod.ts';
import { missing } from '../../../vocabulary/error.ts';
import { examplePath, MOVE, moveParams, movePlace } from './move-wire.ts';
import { decidedFields, filterFields } from './row-wire.ts';

const shared = { tag: 'Moves (key API)', params: moveParams } as const;
const CSV = z.string().describe('The spreadsheet, as CSV in UTF-8 or UTF-16.');

/** GET /moves/{move_id}/export. */
export function moveExportRoute(api: Api, { jobs, streamShares }: SurfaceDeps): void {
  api.get(`${MOVE}/export`, {
    config: { forDashboard: true, gives: { 'text/csv': CSV } },
    ...shared,
    exposeHeadRoute: false,
    operationId: 'exportMoveRowsV1',
    summary: 'Export the rows of a move',
    description:
      'A spreadsheet of the rows, to decide in and to import again. Cells that a spreadsheet could read as a formula get an apostrophe, which the import removes.',
    returns: 'The rows, the largest weight first.',
    errors: ['WEBSITE_NOT_FOUND', 'MOVE_NOT_FOUND', 'BUSY'],
    responseHeaders: ['Content-Disposition'],
    example: { path: examplePath, query: { format: 'csv' } },
    querystring: queryObject({
      ...filterFields,
      format: z.literal('csv').default('csv').describe('The format, `csv`.'),
    }),
    async handler({ actor, params, query: { format: _format, ...filter } }, reply) {
      void reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="${params.moveId}.csv"`);
      const input = { ...movePlace(params), ...filter };
      return sendStream(reply, streamShares.jobs(actor), () => jobs.exportMoveRows(actor, input));
    },
  });
}

/** POST /moves/{move_id}/import. Needs a separate scope, because it reads bodies as streams. */
export async function moveImportRoute(app: FastifyInstance, { jobs }: SurfaceDeps): Promise<void> {
  takeStreams(app, ['*']);
  await app.register(multipart);
  withZod(app).post(`${MOVE}/import`, {
    config: {
      forDashboard: true,
      takes: { 'text/csv': CSV, 'multipart/form-data': z.object({ file: z.file().describe('The spreadsheet.') }) },
    },
    ...shared,
    operationId: 'importMoveRowsV1',
    summary: 'Import decisions of a move',
    description:
      'Reads the columns `url`, `decision`, `target`, `status_code` and `revision` of an exported spreadsheet, at most 200,000 rows; others are ignored. A row whose decision is the stored one stays as it is. If a row is invalid, nothing is applied; a row that was changed since the export is a conflict, and the others are applied.',
    returns: 'The number of rows that changed, and the conflicts.',
    errors: [
      'WEBSITE_NOT_FOUND',
      'MOVE_NOT_FOUND',
      'VALIDATION_ERROR',
      'MISSING_COLUMN',
      'DUPLICATE_COLUMN',
      'TOO_MANY_ITEMS',
      'EMPTY_BODY',
      'BODY_TOO_LARGE',
      'PLAN_LIMIT_EXCEEDED',
      'BUSY',
    ],
    example: {
      path: examplePath,
      form: { file: { name: 'move.csv', text: 'url,decision,target,status_code,revision\n/old/jobs?id=7,gone,,,0\n' } },
    },
    response: { 200: z.object(decidedFields) },
    async handler(request) {
      const { actor, params } = request;
      // Before the body is read.
      const place = movePlace(params);
      const importFile = (path: string) => jobs.importMoveRows(actor, { ...place, path });
      if (!request.isMultipart()) return withDecodedBody(request, (body) => withSpooledBody(actor, body, importFile));
      return withUpload(request, async ({ path }) => {
        if (path === undefined) throw missing('file', 'send the file as one part of the form (curl -F file=@move.csv)');
        return importFile(path);
      });
    },
  });
}
