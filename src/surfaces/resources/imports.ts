import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathText, queryInteger, queryObject, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { type ImportRow, listImports, requireImport } from '../../redirects/import/find-import.ts';
import { requireWebsite } from '../../websites/website.ts';
import type { Dialect, Wire } from './dialect.ts';

/** The counts of a completed import. */
const Summary = z.object({
  total_submitted: z.int(),
  created: z.int(),
  updated: z.int(),
  skipped: z.int(),
  errors: z.int(),
});

export function importSchema<W extends Wire>({ id, suffix }: Dialect<W>) {
  return z
    .object({
      id: z.string(),
      website_id: id.nullable(),
      source: z.enum(['csv', 'api']),
      status: z.enum(['running', 'completed', 'failed']),
      dry_run: z.boolean(),
      progress: z.object({ received: z.int(), bytes: z.int() }),
      summary: Summary.nullable(),
      error: z.string().nullable(),
      created_at: Timestamp,
      completed_at: Timestamp.nullable(),
    })
    .meta({ id: `Import${suffix}` });
}

/** GET /imports/{id}: an import of either surface, while it runs and afterwards. */
export function importRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const One = z.object({ import: importSchema(dialect) });
  app.get(
    '/imports/:id',
    { schema: { params: z.object({ id: pathText }), response: { 200: One } } },
    async ({ actor, params }) => ({
      import: importBody(await requireImport(db, actor, params.id), dialect),
    }),
  );
}

/** GET /imports: the imports of a website, newest first. */
export function importListRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const { query, read } = dialect.websiteId;
  const ListQuery = queryObject({ website_id: query, limit: queryInteger(1, 1_000).optional() });
  const List = z.object({ imports: z.array(importSchema(dialect)) });
  app.get(
    '/imports',
    { schema: { querystring: ListQuery, response: { 200: List } } },
    async ({ actor, query: { website_id, limit } }) => {
      const { id } = await requireWebsite(db, actor, read(website_id));
      const imports = await listImports(db, actor, id, limit);
      return { imports: imports.map((row) => importBody(row, dialect)) };
    },
  );
}

function importBody(row: ImportRow, { writeId }: Dialect) {
  return {
    id: row.id,
    website_id: row.websiteId === null ? null : writeId(row.websiteId),
    source: row.source,
    status: row.status,
    dry_run: row.dryRun,
    progress: { received: row.received, bytes: row.bytes },
    summary: Summary.nullable().parse(row.summary),
    error: row.error,
    created_at: row.createdAt,
    completed_at: row.completedAt,
  };
}
