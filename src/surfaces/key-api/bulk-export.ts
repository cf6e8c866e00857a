import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject, searchText } from '../../http/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { exportRedirects } from '../../redirects/export/export-redirects.ts';
import { websiteIdOf } from './website-id.ts';

const FORMATS = ['json', 'csv', 'ndjson'] as const;

const ExportQuery = queryObject({
  website_id: z.string(),
  format: z.enum(FORMATS).optional(),
  group_id: searchText.optional(),
});

const TYPES = { json: 'application/json', csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** GET /api/v1/redirects/bulk/export. Without HEAD: there is no length to tell before all of it is made. */
export function bulkExportRoute(app: Api, deps: SurfaceDeps): void {
  app.get(
    '/redirects/bulk/export',
    { schema: { querystring: ExportQuery }, exposeHeadRoute: false },
    async ({ actor, query }, reply) => {
      const websiteId = websiteIdOf(query.website_id);
      const format = query.format ?? 'json';
      const pieces = exportRedirects(deps, actor, { websiteId, format, groupId: query.group_id });
      return sendStream(reply.type(`${TYPES[format]}; charset=utf-8`), pieces);
    },
  );
}
