import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathText, queryInteger, queryObject, Timestamp, ImportSummary } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { type ImportRow, listImports, requireImport } from '../../redirects/import/find-import.ts';
import { requireWebsite } from '../../websites/website.ts';
import { keyDialect } from '../resources/dialect.ts';

const ImportBody = z
  .object({
    id: z.string(),
    website_id: z.string().nullable(),
    source: z.enum(['csv', 'api']),
    status: z.enum(['running', 'completed', 'failed']),
    dry_run: z.boolean(),
    progress: z.object({ received: z.int(), bytes: z.int() }),
    summary: ImportSummary.nullable(),
    error: z.string().nullable(),
    created_at: Timestamp,
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'ImportV1' });

const ListQuery = queryObject({ website_id: z.string(), limit: queryInteger(1, 1_000).optional() });

/** GET /api/v1/imports and GET /api/v1/imports/{id}: imports of both surfaces, while they run and afterwards. */
export function importRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/imports',
    { schema: { querystring: ListQuery, response: { 200: z.object({ imports: z.array(ImportBody) }) } } },
    async ({ actor, query }) => {
      const { id } = await requireWebsite(db, actor, keyDialect.websiteId.read(query.website_id));
      return { imports: (await listImports(db, actor, id, query.limit)).map(importBody) };
    },
  );

  app.get(
    '/imports/:id',
    { schema: { params: z.object({ id: pathText }), response: { 200: z.object({ import: ImportBody }) } } },
    async ({ actor, params }) => ({ import: importBody(await requireImport(db, actor, params.id)) }),
  );
}

function importBody(row: ImportRow): z.output<typeof ImportBody> {
  return {
    id: row.id,
    website_id: row.websiteId === null ? null : String(row.websiteId),
    source: row.source,
    status: row.status,
    dry_run: row.dryRun,
    progress: { received: row.received, bytes: row.bytes },
    summary: ImportSummary.nullable().parse(row.summary),
    error: row.error,
    created_at: row.createdAt,
    completed_at: row.completedAt,
  };
}
