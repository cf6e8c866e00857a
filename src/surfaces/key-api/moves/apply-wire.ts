/** Options and result of calls that write decided URLs as redirects. */
import { z } from 'zod';
import { callDefaults } from '../../../formats/read/json/check-entry.ts';
import { changeId, heldBody, heldFields, listOf } from '../../../http/wire/fields.ts';
import type { Applied } from '../../../moves/apply/apply-decisions.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { wrongParameter } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';

const count = (text: string) => z.int().describe(text);

export const appliedFields = {
  apply: z
    .object({
      created: count('Redirects created, patterns included.'),
      updated: count('Existing redirects that changed.'),
      left_out: count('URLs that the current rules answer as decided.'),
      gone: count('Written redirects that respond with 410 or 451.'),
      rules: count('Patterns of the move that are written, or were before.'),
    })
    .describe('What was written, or would be.'),
  writes: listOf('The first 20 redirects that are written.', {
    old_path: z.string().describe('The path, or the pattern.'),
    new_path: z.string().nullable().describe('The target; null for 410 and 451.'),
    status_code: z.int().describe('The status.'),
    is_regex: z.boolean().describe('Whether it is a pattern.'),
  }),
  conflicts: listOf('The first 1,000 URLs and patterns that were not written, or whose expectation was not.', {
    url: z.string().describe('The URL of the row, or the pattern of a rule.'),
    code: z
      .string()
      .describe(
        '`CONFLICT`: a redirect leads elsewhere. `EXPECTATION_CONFLICT`: an expectation says otherwise; the redirect is written. `RULE_ANSWERS_ROW`: the rule would answer a row that stays, so its rows are redirects of their own. Else the code of a validation error.',
      ),
    message: z.string().describe('What is wrong and what to do.'),
  }),
  conflict_count: count('The number of all conflicts.'),
  flatten: listOf('The first 1,000 older redirects whose targets move. With `flatten`, they lead to the new target.', {
    redirect_id: keyDialect.id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path.'),
    before: z.string().describe('Its target, which moves.'),
    after: z.string().describe('The target of that.'),
  }),
  flatten_count: count('The number of all of them.'),
  change_id: changeId,
  import_id: z.string().describe('The id of the import, `imp_...`.'),
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  ...heldFields,
};

export const AppliedBody = z.object(appliedFields);

export const appliedBody = (applied: Applied) => ({
  ...applied,
  apply: { ...applied, updated: applied.changed },
  deployments: applied.deployments.map(({ id }) => id),
  ...heldBody(applied.held),
});

/** Default production. Throws INVALID_PARAMETER for none. */
export function environmentsOf(environments: Environment[] | undefined): Environment[] {
  if (environments === undefined) return ['production'];
  if (environments.length > 0) return environments;
  throw wrongParameter('target_environments', 'must name at least one environment; leave it out for production');
}

/** Throws INVALID_PARAMETER for a group that no redirect can have. */
export const groupOf = (group: string | null | undefined): string | null | undefined =>
  callDefaults(group, undefined).groupId;
