/** The updates and the effect of a bulk update, in the body of either surface. */
import { z } from 'zod';
import { listOf } from '../../../http/wire/fields.ts';
import type { BulkEffect, BulkUpdates } from '../../../redirects/write/bulk-plan.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import type { Dialect } from '../dialect.ts';
import { redirectChange, redirectFields } from './wire.ts';

const MAX_TARGET = 2_048;

const replacement = z.strictObject({
  find: z.string().min(1).max(MAX_TARGET).describe('The text to find; case-sensitive, no pattern.'),
  replace_with: z.string().max(MAX_TARGET).describe('The text to put in its place; may be empty.'),
});

export function updatesSchema(dialect: Dialect) {
  const { target_environments, group_id, status_code, notes, is_regex, old_path, new_path, ...window } =
    redirectFields(dialect);
  const environments = dialect.environments.input;
  return z
    .strictObject({
      target_environments,
      add_environments: environments.describe('Environments to add to those of each redirect.'),
      remove_environments: environments.describe('Environments to remove from those of each redirect.'),
      group_id,
      status_code,
      notes,
      is_regex,
      replace_in_new_path: replacement.describe(
        'Replaces every occurrence of a text in the target of each redirect that has a target.',
      ),
      replace_in_old_path: replacement.describe(
        'The same in the path of each redirect, up to 100,000 paths in a call. A path that another redirect has, or had before the call, is a problem with the code `CONFLICT`.',
      ),
      ...window,
      old_path: old_path.describe('Cannot be changed in bulk: 422. See `replace_in_old_path`.'),
      new_path: new_path.describe('Cannot be changed in bulk: 422. See `replace_in_new_path`.'),
    })
    .partial();
}

export type Updates = Camel<z.output<ReturnType<typeof updatesSchema>>>;

export function bulkUpdates({
  addEnvironments,
  removeEnvironments,
  replaceInNewPath: replaceInTarget,
  replaceInOldPath: replaceInSource,
  ...fields
}: Updates): BulkUpdates {
  return { change: redirectChange(fields), addEnvironments, removeEnvironments, replaceInTarget, replaceInSource };
}

export function effectFields({ id }: Dialect) {
  const count = z.int();
  const problem = z.object({
    field: z.string().describe('The field that would be invalid.'),
    code: z.string().describe('The reason, an error code.'),
    message: z.string().describe('What is wrong with the first of them.'),
    count: count.describe('The number of redirects.'),
    redirects: listOf('The first 100 of them, by id.', {
      redirect_id: id.describe('The id of the redirect.'),
      old_path: z.string().describe('Its path.'),
      message: z.string().describe('What is wrong.'),
    }),
  });
  const effect = z.object({
    changed: count.describe('Redirects that get new values.'),
    unchanged: count.describe('Redirects that have the values already.'),
    invalid: count.describe('Redirects that would be invalid.'),
    problems: z.array(problem).describe('Why they would be invalid, one entry for each field and code.'),
    samples: listOf('The first three redirects with another path or target. Present if there is one.', {
      redirect_id: id.describe('The id of the redirect.'),
      old_path: z.string().describe('Its path.'),
      new_old_path: z.string().optional().describe('Its new path. Present if it changes.'),
      before: z.string().nullable().describe('Its target.'),
      after: z.string().nullable().describe('Its new target.'),
    }).optional(),
  });
  return {
    effect: effect
      .optional()
      .describe('What the call did, or would do. Present only with `dry_run` or `skip_invalid`.'),
  };
}

export function effectBody({ problems, samples, ...counts }: BulkEffect) {
  return {
    ...counts,
    ...(samples.length > 0 && { samples: samples.map(({ id, ...sample }) => ({ redirectId: id, ...sample })) }),
    problems: problems.map(({ redirects, ...problem }) => ({
      ...problem,
      redirects: redirects.map(({ id, ...redirect }) => ({ redirectId: id, ...redirect })),
    })),
  };
}
