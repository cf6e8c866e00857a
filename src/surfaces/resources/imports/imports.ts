import { z } from 'zod';
import { shownActor } from '../../../accounts/website-scope.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  actorField,
  changeId,
  opaqueId,
  pageParameters,
  queryBoolean,
  queryObject,
  Timestamp,
  component,
  part,
} from '../../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import { namesFromWire } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { type ImportRow, listImports, requireImport } from '../../../redirects/import/verdicts/find-import.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import type { Dialect, Wire } from '../dialect.ts';

/** The counts of a completed import. */
const Summary = z.object({
  total_submitted: z.int().describe('All rows or entries.'),
  created: z.int().describe('Redirects created.'),
  updated: z.int().describe('Existing redirects that were changed.'),
  skipped: z.int().describe('Rows whose path exists already and was left unchanged.'),
  errors: z.int().describe('Invalid rows or entries; all others were applied.'),
  deleted: z.int().optional().describe('Redirects deleted. Present only for a sync.'),
  unchanged: z.int().optional().describe('Redirects that stayed as they were. Present only for a sync.'),
});

const readSummary = namesFromWire(Summary.nullable());

export function importSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('Import'), {
    id: z.string().describe('The id, `imp_...`.'),
    website_id: id.nullable().describe('The id of the website; null until the import names it.'),
    source: z
      .enum(['csv', 'api', 'sync', 'move'])
      .describe('`csv` for a file, `api` for a call of the key API, `sync` for a sync.'),
    status: z.enum(['running', 'completed', 'failed']).describe('`running`, then `completed` or `failed`.'),
    dry_run: z.boolean().describe('Whether it only reports what would happen and changes nothing.'),
    progress: part('How much was read so far.', {
      received: z.int().describe('Rows or entries read.'),
      bytes: z.int().describe('Bytes read.'),
    }),
    summary: Summary.nullable().describe('The totals; null until it completes.'),
    change_id: changeId,
    undone_by: z
      .string()
      .nullable()
      .describe('The id of the change that undid the import; null without one, and after 30 days.'),
    file_name: z.string().nullable().describe('The name of the file; null if the import is of no file.'),
    actor: actorField.nullable().describe('Who imported; null for imports before version 0.2.'),
    error: z.string().nullable().describe('Why it failed; null unless it failed.'),
    created_at: Timestamp.describe('When it was created.'),
    completed_at: Timestamp.nullable().describe('When it ended; null before.'),
  });
}

/** GET /imports/{id}: an import of either surface, while it runs and afterwards. */
export function importRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  app.get('/imports/:id', {
    ...dialect.operation('getImport', 'imports'),
    summary: 'Show an import',
    description:
      'Available while the import runs and afterwards. A client that chose the `import_id` can watch the import from its start.',
    returns: 'The import.',
    errors: ['IMPORT_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.import } },
    params: z.object({ id: opaqueId('IMPORT_NOT_FOUND', 'Import').describe('The id of the import, `imp_...`.') }),
    response: { 200: z.object({ import: importSchema(dialect).describe('The import.') }) },
    handler: async ({ actor, params }) => ({
      import: importBody(actor, await requireImport(db, actor, params.id)),
    }),
  });
}

/** GET /imports: the imports of a website, newest first. */
export function importListRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const { query, read } = dialect.websiteId;
  const List = z.object({ imports: z.array(importSchema(dialect)).describe('The imports.') });
  app.get('/imports', {
    ...dialect.operation('listImports', 'imports'),
    summary: 'List imports',
    returns: 'The imports of the website, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: dialect.writeId(1), limit: 1 } },
    querystring: queryObject({
      website_id: query,
      dry_run: queryBoolean
        .optional()
        .describe('`false`: only imports that could change something; `true`: only dry runs.'),
      limit: pageParameters(1_000).limit,
    }),
    response: { 200: List },
    async handler({ actor, query: { websiteId, dryRun, limit } }) {
      const { id } = await requireWebsiteRow(db, actor, read(websiteId));
      const imports = await listImports(db, actor, { websiteId: id, dryRun, limit });
      return { imports: imports.map((row) => importBody(actor, row)) };
    },
  });
}

function importBody(viewer: Actor, { actorType: type, actorId, actorName, ...row }: ImportRow) {
  return {
    ...row,
    progress: { received: row.received, bytes: row.bytes },
    summary: readSummary(Summary.nullable().parse(row.summary)),
    actor: type && shownActor(viewer, { type, id: actorId ?? '', name: actorName ?? '' }),
  };
}
