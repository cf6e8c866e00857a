/** Rows of a move and their decisions on the wire. */
import { z } from 'zod';
import { actorField, component, listOf, searchText, Timestamp } from '../../../http/wire/fields.ts';
import { CONFIDENCES, DECISIONS } from '../../../vocabulary/moves.ts';
import { suggestedFields, suggestionFields } from '../../resources/suggestion-wire.ts';

const decision = z
  .enum(DECISIONS)
  .nullable()
  .describe('`keep`: the page stays. `skip`: left for later, nothing is written. Null: not decided.');
const target = z.string().nullable().describe('The target of a redirect: a path, or an address on an allowed host.');
const status_code = z
  .int()
  .nullable()
  .describe('The status of a redirect (301, 302, 303, 307, 308) or a gone row (410, 451). Null: that of the apply.');
const revision = z.int().describe('Grows with each decision about the row.');

export const RowBody = component('MoveRow', {
  url: z.string().describe('The canonical path with its whole query. It identifies the row.'),
  raw_url: z.string().describe('The address as its source wrote it.'),
  raw_urls: z.array(z.string()).optional().describe('All addresses, if several are one row.'),
  title: z.string().nullable().describe('The title of the page.'),
  weight: z.number().describe('10 x links + clicks + hits.'),
  decision,
  target,
  status_code,
  ...suggestedFields,
  reasons: z.array(z.string()).describe('Why `suggested`, in words.'),
  suggestions: listOf('Up to ten targets, best first.', {
    ...suggestionFields,
    title: z.string().nullable().describe('The title of the target.'),
  }),
  rule: z.string().nullable().describe('The pattern of the rule of the move that decided it; null if none did.'),
  decided_by: actorField.nullable().describe('Who decided it.'),
  decided_at: Timestamp.nullable().describe('When it was decided.'),
  revision,
  pending: z.boolean().describe('true: its suggestions are not computed yet, or not since the last refresh.'),
});

export const filterFields = {
  decision: z
    .enum(['none', ...DECISIONS])
    .optional()
    .describe('Only rows with this decision; `none`: undecided ones.'),
  confidence: z
    .enum(['none', ...CONFIDENCES])
    .optional()
    .describe('Only rows with this confidence.'),
  suggested: z.enum(['redirect', 'gone', 'keep']).optional().describe('Only rows with this suggestion.'),
  target: z.string().optional().describe('Only rows that are decided as redirects to exactly this target.'),
  q: searchText.optional().describe('Only rows with this text in the URL or the title, ignoring case.'),
};

/** A decision about one row in a request. */
export const NamedDecision = z.strictObject({
  url: z.string().describe('The URL of the row, as the list has it.'),
  decision,
  target: target.default(null),
  status_code: status_code.default(null),
  revision: z
    .int()
    .optional()
    .describe('Required: the revision that the client has seen. With another one, the row is a conflict.'),
});

export const minConfidence = z
  .enum(CONFIDENCES)
  .optional()
  .describe('Of `accept_suggestion`: the least confidence. Default `likely`. `gone` is taken only with `guess`.');

/** Fields of a request that decides all rows of a filter. */
export const filterDecision = {
  filter: z
    .strictObject(filterFields)
    .optional()
    .describe('Instead of rows: the filters of the list. An empty filter finds all.'),
  decision: z
    .enum([...DECISIONS, 'accept_suggestion'])
    .nullable()
    .optional()
    .describe(
      'The decision about all rows that the filter finds. Null takes decisions back. `accept_suggestion` takes `suggested` and the first suggestion of each row, by default of undecided rows only.',
    ),
  target: target.optional(),
  status_code: status_code.optional(),
  min_confidence: minConfidence,
};

export const decidedFields = {
  updated: z.int().describe('Rows that changed. Those that were decided like this already are not among them.'),
  conflicts: listOf('The first 1,000 rows that stay as they are, by URL.', {
    url: z.string().describe('The URL of the row.'),
    code: z.literal('ROW_CHANGED').describe('It was changed by another call, or is no longer in the move.'),
    row: RowBody.nullable().describe('The row as it is now; null if the move does not have it.'),
  }),
  conflict_count: z.int().describe('The number of all conflicts.'),
};

export const Decided = z.object({
  ...decidedFields,
  examples: listOf('Of a dry run: up to ten rows that would change, the largest weight first.', {
    url: z.string().describe('The URL of the row.'),
    decision,
    target,
  }).optional(),
});
