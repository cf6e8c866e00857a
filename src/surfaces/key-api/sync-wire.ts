/** Bodies of a sync. The entries are those of a bulk import (bulk-wire.ts). */
import { z } from 'zod';
import {
  maxDelete,
  queryBoolean,
  queryInteger,
  queryObject,
  searchText,
  component,
  EnvironmentName,
  heldFields,
  listOf,
  part,
} from '../../http/wire/fields.ts';
import { wireWriter } from '../../http/wire/wire-names.ts';
import type { SyncChange, SyncCheck } from '../../redirects/import/engine/import-request.ts';
import { FIELD_NAMES, type FieldName, FIELDS, OPTIONAL_FIELDS, wireNames } from '../../redirects/rule/fields.ts';
import type { RedirectFields } from '../../redirects/rule/redirect.ts';
import { warningFields } from '../resources/deployments/deployment-wire.ts';
import { keyDialect } from '../resources/dialect.ts';
import { GateFailure } from '../resources/expectation-wire.ts';
import { labelFields, redirectSchema, ruleFields, windowFields } from '../resources/redirects/wire.ts';
import { BulkEntry, wildcards } from './bulk-wire.ts';

export const SyncBody = z.strictObject({
  redirects: z
    .array(BulkEntry)
    .describe(
      'The redirects, each path once. A field that no entry names keeps its stored value; one that some entries name has its default in the others.',
    ),
  ...Object.fromEntries(
    ['export_id', 'website', 'filters', 'total_count', 'exported_at'].map((name) => [
      name,
      z.unknown().optional().describe('Accepted from an export and ignored.'),
    ]),
  ),
});

const decidedFields = z.custom<FieldName[]>();
const FIELD_WORDS = wireNames(FIELD_NAMES);
const FIELD_LIST = new RegExp(`^((${FIELD_WORDS.join('|')})(,(${FIELD_WORDS.join('|')}))*)?$`);

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
  fields: z
    .codec(
      z.string().regex(FIELD_LIST, `must be names separated by commas, of ${FIELD_WORDS.join(', ')}`),
      decidedFields,
      {
        decode: (text) => OPTIONAL_FIELDS.filter((name) => text.split(',').includes(FIELDS[name].wire)),
        encode: (names) => wireNames(names).join(','),
      },
    )
    .optional()
    .describe(
      'The fields that the sync decides, separated by commas; the path and the target always are. An entry without one of them gives the redirect its default, and all other fields keep their stored value, whatever the entries say. New redirects have all values of their entry. Default: the fields that any entry names; of a CSV file, its columns.',
    ),
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

const GateRun = z.object({
  environment: EnvironmentName.describe('The environment.'),
  passed: z.int().describe('Expectations that hold, and URLs that are not lost or hidden.'),
  failed: z.int().describe('Expectations and URLs that fail. A deployment would fail.'),
  cut_short: z.literal(true).optional().describe('Present if the check reached its limit of 60 s.'),
  failures: z.array(GateFailure).describe('The first 1,000 of each kind.'),
});

export const SyncResult = component('Sync', {
  sync: part('The totals.', {
    created: z.int().describe('Redirects created.'),
    updated: z.int().describe('Existing redirects that were changed. They keep their id.'),
    deleted: z.int().describe('Redirects deleted, because the body does not have their path.'),
    unchanged: z.int().describe('Redirects that stayed as they were.'),
  }),
  cleared: z
    .record(z.string(), z.int())
    .describe('By field, the redirects whose value is replaced by the default because their entry has none.'),
  revision: z.int().describe('The revision of the website after the call.'),
  history: z.string().nullable().describe('The random id of that revision; null if it has none.'),
  change_id: z.string().nullable().describe('The id of the change; null if nothing was changed.'),
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  ...heldFields,
  import_id: z.string().describe('The id of its import, `imp_...`, whose source is `sync`.'),
  changes: Changes.optional().describe('Present for a dry run: the first 1,000 changes of each kind.'),
  loops: listOf('Present for a dry run: every loop of the redirects afterwards, as a deployment would warn of it.', {
    environment: EnvironmentName.describe('The environment.'),
    ...warningFields,
  }).optional(),
  gate: z
    .array(GateRun)
    .optional()
    .describe(
      'Present for a dry run: the expectations and URLs of each environment with a gate, as if it was deployed.',
    ),
});

const write = wireWriter(Changes);

/** The fields that a dry run adds to the result. Runs in the bulk thread: 3,000 changes may have 12 MB. */
export function syncPlanJson(changes: SyncChange[], { loops, gate }: SyncCheck): Buffer {
  const list = changes.map(({ before, after, ...change }) => ({
    ...change,
    before: before && fieldsBody(before),
    after: after && fieldsBody(after),
  }));
  const runs = gate.map(({ environment, passed, failed, failures, isCutShort }) => {
    const counts = JSON.stringify({ environment, passed, failed, ...(isCutShort && { cut_short: true }) });
    return `${counts.slice(0, -1)},"failures":[${failures.join(',')}]}`;
  });
  const planned = { changes: JSON.stringify(write(list)), loops: JSON.stringify(loops), gate: `[${runs.join(',')}]` };
  return Buffer.from(
    Object.entries(planned)
      .map(([name, json]) => `,"${name}":${json}`)
      .join(''),
  );
}

const fieldsBody = (fields: RedirectFields) => ({ ...fields, targetEnvironments: fields.environments });
