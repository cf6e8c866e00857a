import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { actorField, bodyObject, listOf, Timestamp } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { examplePath, MOVE, moveParams, movePlace } from './move-wire.ts';

const shared = { tag: 'Moves (key API)', params: moveParams } as const;
const count = (text: string) => z.int().describe(text);
const pattern = z.string().describe('The pattern, as that of a redirect with `is_regex`.');
const target = z.string().describe('The target, which may name groups of the pattern.');

/** GET /moves/{move_id}/rules; POST .../rules/apply, .../rules/remove. */
export function moveRuleRoutes(api: Api, { jobs }: SurfaceDeps): void {
  const errors = ['WEBSITE_NOT_FOUND', 'MOVE_NOT_FOUND', 'BUSY'] as const;
  api.get(`${MOVE}/rules`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'listMoveRulesV1',
    summary: 'Learn rules of a move',
    description:
      'Learns rules from the decided rows, from ten decisions on. A rule contradicts no decision, answers no living page and no row that stays, and leads undecided rows to candidates.',
    returns: 'The learnt rules, those that cover the most rows first, and the stored ones.',
    errors,
    example: { path: examplePath },
    response: {
      200: z.object({
        rules: listOf('The learnt rules that are not stored.', {
          pattern,
          target,
          covers: count('Undecided rows that it would decide.'),
          agrees: count('Decided rows that it leads to their target.'),
          examples: z.array(z.string()).describe('Up to five URLs that it covers.'),
        }),
        stored: listOf('The rules that the apply of the move will write, in the order of their calls.', {
          pattern,
          target,
          rows: count('Rows that it decided.'),
          created_by: actorField,
          created_at: Timestamp.describe('When it was stored.'),
        }),
      }),
    },
    handler: ({ actor, params }) => jobs.listMoveRules(actor, movePlace(params)),
  });

  api.post(`${MOVE}/rules/apply`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'applyMoveRuleV1',
    summary: 'Apply a rule to a move',
    description:
      'Decides the undecided rows that a rule covers, a learnt one or another. The rule must not answer a living page, or a row that is decided as keep or skip, and must lead each undecided row to a candidate. Rows that are decided otherwise stay single redirects.',
    returns: 'What it decided.',
    errors: [...errors, 'VALIDATION_ERROR', 'INVALID_REGEX'],
    example: { path: examplePath, body: { pattern: '/old/(install)\\.html', target: '/docs/$1', as: 'rule' } },
    body: bodyObject({
      pattern,
      target,
      as: z.enum(['rule', 'rows']).describe('`rule`: the move stores it. `rows`: each row becomes a single redirect.'),
    }),
    response: {
      200: z.object({
        updated: count('Undecided rows that it decided.'),
        agrees: count('Decided rows that it leads to their target.'),
        differs: count('Decided rows that stay single redirects.'),
      }),
    },
    handler: ({ actor, params, body }) => jobs.applyMoveRule(actor, { ...movePlace(params), ...body }),
  });

  api.post(`${MOVE}/rules/remove`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'removeMoveRuleV1',
    summary: 'Remove a rule of a move',
    description: 'Removes a stored rule. The rows that it decided, and that have not changed since, become undecided.',
    returns: 'The number of rows that changed.',
    errors: [...errors, 'VALIDATION_ERROR'],
    example: { path: examplePath, body: { pattern: '/old/(install)\\.html' } },
    body: bodyObject({ pattern }),
    response: { 200: z.object({ updated: count('Rows that are undecided now.') }) },
    handler: ({ actor, params, body }) => jobs.removeMoveRule(actor, { ...movePlace(params), ...body }),
  });
}
