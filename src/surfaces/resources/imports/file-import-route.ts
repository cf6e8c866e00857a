import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { changeId, heldBody, heldFields, queryObject, component, listOf } from '../../../http/wire/fields.ts';
import { IMPORT_ERRORS } from '../../../http/route-docs.ts';
import { namesToWire } from '../../../http/wire/wire-names.ts';
import { withUpload } from '../../../http/body/upload.ts';
import { withZod } from '../../../http/wire/zod.ts';
import type { FileImportResult } from '../../../redirects/import/files/import-file.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import type { Dialect } from '../dialect.ts';
import { ImportNotice } from './import-notice.ts';
import { importParameters, readImportOptions } from './import-options.ts';

const file = z
  .file()
  .describe('The file: CSV, JSON, NDJSON or the configuration of a server, UTF-8 or UTF-16, at most 2 GiB.');

const Verdicts = z.object({
  new: z.int().describe('Paths that would get a redirect.'),
  replaces: z.int().describe('Rows that would change the redirect of their path.'),
  unchanged: z.int().describe('Rows whose redirect is identical.'),
  skipped: z.int().describe('Rows whose path has another redirect, which stays.'),
  repeated: z.int().describe('Rows about whose path another row decides.'),
  invalid: z.int().describe('Invalid rows.'),
});

const EXAMPLE_CSV = 'Redirect from,Redirect to,Code\n/about-us,/company,301\n/jobs,/careers,301\n/broken,,301\n';

/** The result of an import or of a dry run. */
export const FileImportBody = component('FileImport', {
  imported: z.int().describe('Redirects created.'),
  skipped: z.int().describe('Rows whose path exists already and was left unchanged.'),
  updated: z.int().describe('Existing redirects that were changed (`on_conflict=update`).'),
  changed: z
    .int()
    .describe('Existing redirects that differ afterwards. `updated` also counts rows that change nothing.'),
  errors: listOf('The first 1,000 invalid rows.', {
    line: z
      .int()
      .describe('The line of the file at which the row starts, from 1; in a JSON file, the number of the entry.'),
    column: z.string().describe('The field that is invalid, such as `old_path`.'),
    code: z.string().describe('The error code.'),
    message: z.string().describe('What is wrong and what is expected.'),
  }),
  error_count: z.int().describe('The exact number of invalid rows.'),
  error_counts: listOf('All invalid rows by error code, most rows first.', {
    code: z.string().describe('The error code.'),
    count: z.int().describe('The number of rows.'),
  }),
  hosts_not_allowed: listOf('The hosts of all rows with `TARGET_HOST_NOT_ALLOWED`, most rows first, at most 100.', {
    host: z.string().describe('The host of a target that is not in `allowed_target_hosts`.'),
    count: z.int().describe('The number of rows.'),
  }),
  message: z.string().describe('A human-readable summary.'),
  notices: z.array(ImportNotice).describe('Input that was ignored or converted.'),
  columns: listOf('How each column of a CSV file was read.', {
    header: z.string().describe('The column name in the file.'),
    field: z.string().nullable().describe('The field that it was read as; null if it was ignored.'),
  }),
  format: z.string().describe('The format of the file: `csv`, `json`, `ndjson`, or the tool or server that it is of.'),
  import_id: z.string().describe('The id of the import, `imp_...`.'),
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  ...heldFields,
  change_id: changeId,
  verdicts: Verdicts.optional().describe('The number of rows by verdict. Present for a dry run with `report=true`.'),
});

/** POST /redirects/import. Viewers and read keys may send a dry run. Needs a separate scope, which accepts only forms. */
export async function fileImportRoute(app: FastifyInstance, deps: SurfaceDeps, dialect: Dialect): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
  const parameters = importParameters(dialect);
  // For the API reference. withUpload and readImportOptions read the form.
  const Query = queryObject(parameters);
  const toWire = namesToWire(Query);
  const takes = { 'multipart/form-data': z.object({ file, ...parameters }) };
  withZod(app).post('/redirects/import', {
    config: { role: 'viewer', takes },
    ...dialect.operation('importFile', 'imports'),
    summary: 'Import a file',
    description:
      'Reads the file of the form, which may be CSV, JSON, NDJSON or the configuration of a server: at most 64 KiB for each row that the plan allows, and 2 GiB. Options are form fields or query parameters. Invalid rows are listed and skipped; all others are applied together. Importing requires the role editor or a write key; a viewer or a read key may make a dry run, with `dry_run=true` in the query if the form is larger than 1 MiB. A dry run with `report=true` keeps the verdict on every row for one hour; see the rows and the report of an import.',
    returns: 'The result. imported + skipped + updated + error_count is the number of rows.',
    errors: [...ERRORS, ...dialect.roleErrors],
    example: {
      form: { file: { name: 'redirects.csv', text: EXAMPLE_CSV }, fields: { website_id: '1' } },
    },
    querystring: Query,
    response: { 200: FileImportBody },
    handler(request) {
      assertRoleForBody(request);
      return withUpload(request, async ({ fields, path, fileName }) => {
        const options = readImportOptions(toWire(request.query), fields, dialect);
        if (!options.dryRun) requireRole(request.actor, 'editor');
        if (path === undefined) throw fileMissing();
        const result = await deps.jobs.importFile(request.actor, { ...options, path, fileName });
        deps.committed();
        return fileImportBody(result, options);
      });
    },
  });
}

const ERRORS = [...IMPORT_ERRORS, 'UNKNOWN_COLUMN', 'DUPLICATE_COLUMN', 'CONFLICT'] as const;

/** The form of a viewer or a read key may name `dry_run` after a file of this size. */
const MAX_UNDECIDED_BYTES = 1024 * 1024;

/** Throws INSUFFICIENT_ROLE or INSUFFICIENT_SCOPE before the body is read, unless it is a dry run or too small to matter. */
function assertRoleForBody({
  actor,
  query,
  headers,
}: FastifyRequest<{ Querystring: { dryRun?: string | undefined } }>): void {
  if (query.dryRun === 'true') return;
  const length = Number(headers['content-length'] ?? Infinity);
  if (query.dryRun !== undefined || length > MAX_UNDECIDED_BYTES) requireRole(actor, 'editor');
}

function fileMissing(): DomainError {
  return new DomainError('MISSING_PARAMETER', 'The form has no file', {
    details: 'file: send the file as one part of the form (curl -F file=@redirects.csv)',
    issues: [{ path: 'file', code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}

function fileImportBody(result: FileImportResult, { dryRun }: { dryRun: boolean }) {
  const { created, skipped, updated, unchanged = 0, errorCount } = result;
  const counts = [
    `${created} ${dryRun ? 'would be imported' : 'imported'}`,
    `${skipped} skipped`,
    ...(updated > 0 ? [dryRun ? `${updated - unchanged} would be updated` : `${updated} updated`] : []),
    ...(updated > 0 && unchanged > 0 ? [`${unchanged} unchanged`] : []),
    `${errorCount} with errors`,
  ];
  return {
    ...result,
    imported: created,
    errorCounts: result.errorCounts.codes,
    hostsNotAllowed: result.errorCounts.hosts,
    message: counts.join(', '),
    deployments: result.deployments.map((deployment) => deployment.id),
    ...heldBody(result.held),
  };
}
