import type { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { etagOf, sendIfUnchanged } from '../../http/server/response-headers.ts';
import { sendStream } from '../../http/stream.ts';
import { type Camel, namesToWire } from '../../http/wire/wire-names.ts';
import type { Api } from '../../http/wire/zod.ts';
import { chooseExport, type ExportRequest } from '../../redirects/export/choose-export.ts';
import type { ExportFormat } from '../../formats/write/export-formats.ts';
import { keyDialect } from '../resources/dialect.ts';
import { readFilter } from '../resources/redirects/filter.ts';
import { ExportFilters, EXPORTS, ExportQuery } from './bulk-wire.ts';

/** Media type and file name of a download; the name is the one that the server expects, if it expects one. */
const FILES: Record<ExportFormat, [type: string, name: string]> = {
  json: ['application/json', 'redirects.json'],
  csv: ['text/csv', 'redirects.csv'],
  ndjson: ['application/x-ndjson', 'redirects.ndjson'],
  nginx: ['text/plain', 'redirects.conf'],
  apache: ['text/plain', '.htaccess'],
  netlify: ['text/plain', '_redirects'],
  vercel: ['application/json', 'redirects.json'],
  cloudflare: ['text/csv', 'redirects.csv'],
  caddy: ['text/plain', 'redirects.caddy'],
};

const toFilters = namesToWire(ExportFilters);

function requestOf(query: Camel<z.output<typeof ExportQuery>>, format: ExportFormat): ExportRequest {
  const { websiteId: id, format: _, version, environment, lossy = false, maxStaleness: __, ...filters } = query;
  const { groupId: group, notGroupId: notGroup, targetEnvironment: target, ...others } = filters;
  const { notTargetEnvironment: notEnvironment, ...same } = others;
  const named = { ...same, group, notGroup, environment: target, notEnvironment, websiteId: id };
  return {
    websiteId: keyDialect.websiteId.read(id),
    format,
    filter: readFilter(named, keyDialect),
    filters: toFilters(query),
    environment,
    version,
    lossy,
  };
}

/** GET /api/v1/redirects/bulk/export. No HEAD: the length is unknown until the export is complete. */
export function bulkExportRoute(app: Api, deps: SurfaceDeps): void {
  app.get('/redirects/bulk/export', {
    config: { gives: EXPORTS },
    exposeHeadRoute: false,
    operationId: 'exportRedirectsV1',
    tag: 'Bulk import and export',
    summary: 'Export redirects',
    description:
      'Streams one snapshot, in byte order of the canonical path. `json`, `csv` and `ndjson` can be imported again; by default they have the current redirects of all environments, and take the filters of the list. The other formats are server configurations of one environment, by default with the live rules of production. If the server cannot express a rule, the response is 422, or with `lossy=true` a comment replaces the rule. With its `ETag` in `If-None-Match`, the response is 304 while the redirects are unchanged. After a later error, the connection is closed.',
    returns: 'The redirects in the requested format.',
    responseHeaders: ['Content-Disposition', 'ETag'],
    errors: ['WEBSITE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_EXPIRED', 'VALIDATION_ERROR', 'BUSY'],
    example: { query: { website_id: '1', group_id: 'relaunch' } },
    querystring: ExportQuery,
    async handler(request, reply) {
      const { actor, query } = request;
      const format = query.format ?? 'json';
      const [type, fileName] = FILES[format];
      const requested = requestOf(query, format);
      const { input, state, isStandby } = await deps.reads.read(
        query.maxStaleness,
        async (db, { isStandby: isFromStandby }) => ({
          ...(await chooseExport(db, actor, requested, deps.clock.now())),
          isStandby: isFromStandby,
        }),
      );
      if (sendIfUnchanged(request, reply, etagOf(state))) return reply;
      const chunks = deps.jobs.exportRedirects(actor, input, isStandby);
      return sendStream(
        reply.type(`${type}; charset=utf-8`).header('Content-Disposition', `attachment; filename="${fileName}"`),
        deps.streamShares.jobs(actor),
        () => chunks,
      );
    },
  });
}
