import { z } from 'zod';
import type { LiveSite } from '../../../deployments/live/live-registry.ts';
import { EnvironmentName, component, listOf } from '../../../http/wire/fields.ts';
import { NEW_RULE } from '../../../redirects/draft/check-draft.ts';
import type { DraftLoop, DraftTrial } from '../../../redirects/draft/try-draft.ts';
import type { MatchRequest } from '../../../resolver/rule.ts';
import type { PageState } from '../../../urls/page-state.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { ChainOutcome, FinalPage, hopBody, hopSchema, matchBody, matchSchema } from './tested-url.ts';
import { Moment, redirectSchema } from './wire.ts';

function trialSchema<W extends Wire>(dialect: Dialect<W>) {
  return z.object({
    environment: EnvironmentName.describe('The first target environment; production for a draft.'),
    version: z.int().describe('The live version that it is tried with.'),
    path: z.string().describe('The canonical path of the trial.'),
    query: z.string().nullable().describe('The query of the URL; null if it has none.'),
    at: Moment.describe('The time of the trial: now, or `active_from` if the redirect begins later.'),
    result: z
      .enum(['fired', 'self', 'beaten', 'unmatched'])
      .describe(
        '`fired`: it matches. `beaten`: another rule has precedence. `self`: skipped, because it would redirect to the URL itself. `unmatched`: it does not match the URL.',
      ),
    location: z.string().nullable().describe('Its `Location` for the URL; null without a match or a target.'),
    winner: matchSchema(dialect)
      .nullable()
      .describe('The redirect that matches instead; null if it matches itself or none does.'),
    hops: z
      .array(
        hopSchema(
          dialect.id,
          'The id of the redirect; null for the checked one if it does not exist yet, and for a host that redirects as a whole.',
        ),
      )
      .describe('Every redirect on the way, in order.'),
    outcome: ChainOutcome,
    final_url: z.string().describe('The URL at which the chain ends, or which a loop returns to.'),
    final_page: FinalPage,
  });
}

const Loop = z.object({
  environment: EnvironmentName.describe('The environment.'),
  paths: z
    .array(z.string())
    .describe('The URLs of the loop, the first one again at the end; of an endless one the first three.'),
  endless: z.boolean().describe('True if no URL repeats, because each is longer than the previous one.'),
  scheduled: z
    .boolean()
    .optional()
    .describe('Present and true if a redirect of the loop has a window. The search takes each as active.'),
});

export function checkedSchema<W extends Wire>(dialect: Dialect<W>) {
  return component(dialect.named('CheckedRedirect'), {
    canonical_old_path: z
      .string()
      .nullable()
      .describe('The canonical form of the path, or the pattern; null if `old_path` is invalid.'),
    issues: listOf('What a write would reject, except for a path that exists already.', {
      path: z.string().describe('The field that is invalid, such as `old_path`.'),
      code: z.string().describe('The error code.'),
      message: z.string().describe('What is wrong and what is expected.'),
    }),
    taken_by: redirectSchema(dialect)
      .nullable()
      .describe('The redirect that has this path already; null if the path is free.'),
    now: matchSchema(dialect)
      .nullable()
      .describe('The other live redirect that matches the URL now; null if none does.'),
    trial: trialSchema(dialect)
      .nullable()
      .describe('What would happen to the URL; null without a URL or if the fields are invalid.'),
    loops: z
      .array(Loop)
      .describe(
        'The loops that it would close with live redirects, one for each environment. For a pattern, only a few sample paths are tried.',
      ),
  });
}

/** Empty without a loop. */
export function loopBodies(environment: Environment, loop: DraftLoop | null): z.output<typeof Loop>[] {
  if (!loop) return [];
  const { paths, endless, isScheduled } = loop;
  return [{ environment, paths, endless, ...(isScheduled && { scheduled: true }) }];
}

/** A trial in the environment of `live`. Its id is null for a redirect that is not stored yet. */
export function trialBody(
  { environment, rules }: LiveSite,
  request: MatchRequest,
  { followed, ...trial }: DraftTrial,
  finalPage: PageState | null,
) {
  return {
    ...trial,
    environment,
    version: rules.version,
    path: request.path,
    query: request.query,
    winner: trial.winner && matchBody(trial.winner),
    hops: followed.hops.map((hop) => hopBody(hop.ruleId === NEW_RULE ? { ...hop, ruleId: null } : hop)),
    outcome: followed.outcome,
    finalUrl: followed.finalUrl,
    finalPage,
  };
}
