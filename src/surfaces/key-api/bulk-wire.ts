/** Bodies of bulk import and export, for the API reference. redirects/read-json and redirects/export stream them. */
import { z } from 'zod';
import { EnvironmentName, queryBoolean, queryObject, searchText, WrittenTime } from '../../http/fields.ts';
import { EXPORT_FORMATS } from '../../redirects/export/formats.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';

const optionalFields = {
  is_regex: z.boolean(),
  group_id: z.string().nullable(),
  target_environments: z.array(EnvironmentName),
  notes: z.string().nullable(),
};

/** One redirect of an import. Fields that only an export has are accepted and ignored. */
export const BulkEntry = z
  .strictObject({
    old_path: z.string(),
    new_path: z.string().nullable().optional(),
    status_code: z.int().optional(),
    ...z.object(optionalFields).partial().shape,
    id: z.string().optional(),
    website_id: z.string().optional(),
    created_at: WrittenTime.optional(),
    updated_at: WrittenTime.optional(),
    deployed_to_prod: WrittenTime.nullable().optional(),
    deployed_to_staging: WrittenTime.nullable().optional(),
    deployed_to_dev: WrittenTime.nullable().optional(),
  })
  .meta({ id: 'BulkEntry' });

export const BulkBody = z.strictObject({
  website_id: z.string(),
  redirects: z.array(BulkEntry),
  group_id: z.string().nullable().optional(),
  target_environments: z.array(EnvironmentName).optional(),
  dry_run: z.boolean().optional(),
});

export const BulkResult = z
  .object({
    success: z.literal(true),
    import_id: z.string(),
    summary: z.object({
      total_submitted: z.int(),
      created: z.int(),
      updated: z.int(),
      errors: z.int(),
    }),
    processing_time: z.string(),
    batch_info: z.object({ batch_size: z.int(), total_batches: z.int() }),
    errors: z.array(
      z.object({ index: z.int(), old_path: z.string().nullable(), code: z.string(), message: z.string() }),
    ),
    deployments: z.array(z.string()),
  })
  .meta({ id: 'BulkImport' });

const ExportedRedirect = z
  .object({
    id: z.string(),
    old_path: z.string(),
    new_path: z.string().nullable(),
    status_code: z.int(),
    group_id: z.string().nullable(),
    created_at: WrittenTime,
    deployed_to_prod: WrittenTime.nullable(),
    is_regex: z.boolean(),
    target_environments: z.array(EnvironmentName),
    notes: z.string().nullable(),
  })
  .meta({ id: 'ExportedRedirect' });

const BulkExport = z
  .object({
    export_id: z.string(),
    website: z.object({ id: z.string(), name: z.string() }),
    filters: z.object({ group_id: z.string().optional() }),
    redirects: z.array(ExportedRedirect),
    total_count: z.int(),
    exported_at: WrittenTime,
  })
  .meta({ id: 'BulkExport' });

export const ExportQuery = queryObject({
  website_id: z.string(),
  format: z.enum(EXPORT_FORMATS).optional(),
  group_id: searchText.optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  lossy: queryBoolean.optional(),
});

/** By media type: the formats `json` and `vercel`, a line of `ndjson`, and files for other programs. */
export const EXPORTS = {
  'application/json': z.union([
    BulkExport,
    z.array(z.record(z.string(), z.unknown())).meta({ id: 'VercelRedirects' }),
  ]),
  'application/x-ndjson': ExportedRedirect,
  'text/csv': z.string(),
  'text/plain': z.string(),
};
