/** Bodies of bulk import and export, for the API reference. redirects/read-json and redirects/export stream them. */
import { z } from 'zod';
import {
  changeId,
  EnvironmentName,
  heldFields,
  queryBoolean,
  queryObject,
  staleness,
  VERSION_CHOICE,
  versionChoice,
  WrittenTime,
  component,
  part,
  listOf,
} from '../../http/wire/fields.ts';
import { EXPORT_FORMATS } from '../../formats/write/export-formats.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { keyDialect } from '../resources/dialect.ts';
import { ImportNotice } from '../resources/imports/import-notice.ts';
import { filterParameters } from '../resources/redirects/filter.ts';
import { labelFields, redirectSchema, ruleFields, windowFields } from '../resources/redirects/wire.ts';

const Redirect = redirectSchema(keyDialect).shape;
const website_id = keyDialect.websiteId.body;
const ignored = z.string().optional().describe('Accepted from an export and ignored.');
const ignoredTime = WrittenTime.nullable().optional().describe('Accepted from an export and ignored.');

/** One redirect of an import. */
export const BulkEntry = z
  .strictObject({
    ...z
      .object({ ...ruleFields, ...labelFields, ...windowFields })
      .partial()
      .required({ old_path: true }).shape,
    target_environments: Redirect.target_environments.optional(),
    id: ignored,
    website_id: ignored,
    created_at: WrittenTime.nullable().optional().describe('Accepted from an export and ignored.'),
    updated_at: WrittenTime.optional().describe('Accepted from an export and ignored.'),
    deployed_to_prod: ignoredTime,
    deployed_to_staging: ignoredTime,
    deployed_to_dev: ignoredTime,
  })
  .meta({ id: 'BulkEntry' });

/** The fields of a request beside its entries, for entries that lack them. */
const GROUP = 'The group of entries without one.';
const TARGETS = 'The environments of entries without any. Default `production` for new redirects.';

const STRICT = 'With an invalid entry the call fails with 422 and applies nothing. Default false.';

export const BulkBody = z.strictObject({
  website_id,
  redirects: z.array(BulkEntry).describe('The entries, applied in order.'),
  group_id: z.string().nullable().optional().describe(GROUP),
  target_environments: z.array(EnvironmentName).optional().describe(TARGETS),
  dry_run: z.boolean().optional().describe('Reports what would happen and changes nothing. Default false.'),
  strict: z.boolean().optional().describe(STRICT),
});

/** How a row of a CSV file without `is_regex` is read if it may have a wildcard. */
export const wildcards = z
  .enum(['convert', 'literal'])
  .optional()
  .describe(
    'Only for CSV: how `*`, a segment `:name` and a `$1` in the target are read in a row without `is_regex`, if the file is of no tool that has wildcards: `convert` to the equal pattern, or `literal` text. Without it, such a row is invalid.',
  );

/** The error for the parameter with a body that is not CSV. */
export function assertNoWildcards({ wildcards: given }: { wildcards?: string | undefined }): void {
  if (given !== undefined) throw wrongParameter('wildcards', 'is only for text/csv; set is_regex of an entry');
}

/** The same fields as query parameters, for a body of lines. */
export const BulkQuery = queryObject({
  website_id: website_id.optional().describe('The id of the website. Required unless the body is JSON.'),
  group_id: z.string().optional().describe(GROUP),
  target_environments: z.string().optional().describe(`${TARGETS} Separated by commas.`),
  dry_run: queryBoolean.optional().describe('Reports what would happen and changes nothing. Default false.'),
  strict: queryBoolean.optional().describe(STRICT),
  wildcards,
});

export const BulkResult = component('BulkImport', {
  success: z.literal(true).describe('Always true: the import completed.'),
  import_id: z.string().describe('The id of the import, `imp_...`.'),
  summary: part('The totals.', {
    total_submitted: z.int().describe('All rows or entries.'),
    created: z.int().describe('Redirects created.'),
    updated: z.int().describe('Existing redirects that were changed.'),
    errors: z.int().describe('Invalid rows or entries; all others were applied.'),
    unchanged: z
      .int()
      .optional()
      .describe('Present for a dry run: existing redirects that would stay as they are; `updated` includes them.'),
  }),
  processing_time: z.string().describe('The duration, such as `2.41s`.'),
  batch_info: part('How the entries were grouped.', {
    batch_size: z.int().describe('Entries in a batch.'),
    total_batches: z.int().describe('The number of batches.'),
  }),
  errors: listOf('The first 1,000 invalid rows or entries.', {
    index: z.int().optional().describe('The position in the list, from 0. Absent for a CSV file.'),
    line: z.int().optional().describe('Only for a CSV file: the line, from 1.'),
    old_path: z.string().nullable().describe('The path of the entry; null if it has none.'),
    code: z.string().describe('The error code.'),
    message: z.string().describe('What is wrong and what is expected.'),
  }),
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  ...heldFields,
  notices: z.array(ImportNotice).optional().describe('Present for a CSV file: input that was ignored or converted.'),
  change_id: changeId,
});

const { id, old_path, new_path, status_code, group_id, created_at, deployed_to_prod } = Redirect;
const { is_regex, target_environments, notes, active_from, active_until } = Redirect;
const ExportedRedirect = component('ExportedRedirect', {
  id,
  old_path,
  new_path,
  status_code,
  group_id,
  created_at: created_at.nullable(),
  deployed_to_prod,
  is_regex,
  target_environments,
  notes,
  active_from,
  active_until,
});

const {
  website_id: _website,
  group,
  not_group,
  environment: _environment,
  not_environment,
  ...listFilters
} = filterParameters(keyDialect);

const BulkExport = component('BulkExport', {
  export_id: z.string().describe('The id of the export, `exp_...`.'),
  website: part('The website.', {
    id: website_id,
    name: z.string().describe('The name of the website.'),
  }),
  filters: z
    .looseObject({
      group_id: group.describe('The group, or the groups, if the export was limited to them.'),
    })
    .describe('The filters of the export, by parameter.'),
  environment: EnvironmentName.optional().describe('The environment of the version, if one was exported.'),
  version: z.int().optional().describe('The version, if one was exported; 0 if nothing was deployed.'),
  redirects: z.array(ExportedRedirect).describe('The redirects.'),
  total_count: z.int().describe('The number of redirects.'),
  exported_at: WrittenTime.describe('When the snapshot was taken.'),
});

/** Filters of the current redirects, named as those of the list; `environment` has another meaning in an export. */
export const ExportFilters = z.object({
  group_id: group,
  not_group_id: not_group,
  ...listFilters,
  target_environment: EnvironmentName.optional().describe('Only redirects targeted at this environment.'),
  not_target_environment: not_environment,
});

export const ExportQuery = queryObject({
  website_id,
  format: z
    .enum(EXPORT_FORMATS)
    .optional()
    .describe('The format: `json` (default), `csv`, `ndjson`, or the configuration of a server.'),
  ...ExportFilters.shape,
  version: versionChoice
    .optional()
    .describe(`What is exported: ${VERSION_CHOICE}. Default \`draft\`; for a server configuration \`live\`.`),
  environment: EnvironmentName.optional().describe(
    'The environment of the version or of a server configuration. Default `production`.',
  ),
  ...staleness,
  lossy: queryBoolean
    .optional()
    .describe('`true`: rules that the server cannot express become comments instead of an error. Default false.'),
});

/** By media type: the formats `json` and `vercel`, a line of `ndjson`, and files for other programs. */
export const EXPORTS = {
  'application/json': z.union([BulkExport, z.array(z.record(z.string(), z.unknown())).meta({ id: 'VercelRedirects' })]),
  'application/x-ndjson': ExportedRedirect,
  'text/csv': z.string(),
  'text/plain': z.string(),
};
