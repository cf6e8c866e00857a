/** Bodies of a sync. The entries are those of a bulk import (bulk-wire.ts). */
import { z } from 'zod';
import {
  maxDelete,
  queryBoolean,
  queryInteger,
  queryObject,
  searchText,
  component,
  part,
} from '../../http/wire/fields.ts';
import { wireWriter } from '../../http/wire/wire-names.ts';
import type { SyncChange } from '../../redirects/import/engine/import-request.ts';
import type { RedirectFields } from '../../redirects/rule/redirect.ts';
import { keyDialect } from '../resources/dialect.ts';
import { labelFields, redirectSchema, ruleFields, windowFields } from '../resources/redirects/wire.ts';
import { BulkEntry, wildcards } from './bulk-wire.ts';

export const SyncBody = z.strictObject({
  redirects: z.array(BulkEntry).describe('The redirects, each path once. A field that an entry omits has its default.'),
  ...Object.fromEntries(
    ['export_id', 'website', 'filters', 'total_count', 'exported_at'].map((name) => [
      name,
      z.unknown().optional().describe('Accepted from an export and ignored.'),
    ]),
  ),
});

export const SyncQuery = queryObject({
  group_id: searchText
    .optional()
    .describe(
      'Only redirects of this group are compared and deleted, and every entry gets it. Default: all redirects.',
    ),
  dry_run: queryBoolean.optional().describe('Reports what would happen and changes nothing. Default false.'),
  if_revision: queryInteger(0, 999_999_999)
    .optional()
    .describe('The `revision` that the website must have; with another one, nothing is applied.'),
  if_history: z
    .uuid()
    .optional()
    .describe(
      'With `if_revision`: the `history` of that revision. A database that went back in time assigns the same revisions again, with another history; then nothing is applied.',
    ),
  max_delete: maxDelete
    .optional()
    .describe(
      'The most redirects that may be deleted: a count, or a percentage (`20%`) of the redirects of the website or group before the call. With more, nothing is applied. Default `10%`, and at least 10; none if the body has no entries.',
    ),
  wildcards,
});

const { target_environments } = redirectSchema(keyDialect).shape;
const SyncedRedirect = component('SyncedRedirect', {
  ...ruleFields,
  ...labelFields,
  target_environments,
  ...windowFields,
});

const Changes = z.array(
  z.object({
    kind: z.enum(['create', 'update', 'delete']).describe('What would happen to the redirect.'),
    old_path: z.string().describe('Its path.'),
    before: SyncedRedirect.nullable().describe('The redirect now; null if it would be created.'),
    after: SyncedRedirect.nullable().describe('The redirect afterwards; null if it would be deleted.'),
  }),
);

export const SyncResult = component('Sync', {
  sync: part('The totals.', {
    created: z.int().describe('Redirects created.'),
    updated: z.int().describe('Existing redirects that were changed. They keep their id.'),
    deleted: z.int().describe('Redirects deleted, because the body does not have their path.'),
    unchanged: z.int().describe('Redirects that stayed as they were.'),
  }),
  revision: z.int().describe('The revision of the website after the call.'),
  history: z.string().nullable().describe('The random id of that revision; null if it has none.'),
  change_id: z.string().nullable().describe('The id of the change; null if nothing was changed.'),
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  import_id: z.string().describe('The id of its import, `imp_...`, whose source is `sync`.'),
  changes: Changes.optional().describe('Present for a dry run: the first 1,000 changes of each kind.'),
});

const write = wireWriter(Changes);

/** The `changes` of a dry run as JSON. Runs in the bulk thread: 3,000 changes may have 12 MB. */
export function syncChangesJson(changes: SyncChange[]): Buffer {
  const list = changes.map(({ before, after, ...change }) => ({
    ...change,
    before: before && fieldsBody(before),
    after: after && fieldsBody(after),
  }));
  return Buffer.from(JSON.stringify(write(list)));
}

const fieldsBody = (fields: RedirectFields) => ({ ...fields, targetEnvironments: fields.environments });
