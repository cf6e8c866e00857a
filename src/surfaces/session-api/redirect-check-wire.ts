import { z } from 'zod';
import { EnvironmentName } from '../../http/fields.ts';
import { NEW_RULE } from '../../redirects/draft/check-draft.ts';
import type { DraftLoop, DraftTrial } from '../../redirects/draft/try-draft.ts';
import type { Match, MatchRequest } from '../../resolver/rule.ts';
import type { LiveSite } from '../../deployments/live/rulesets.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { RedirectBody } from './redirect-wire.ts';
import { AnsweringRule } from './tested-wire.ts';

const Trial = z.object({
  environment: EnvironmentName,
  version: z.int(),
  path: z.string(),
  query: z.string().nullable(),
  result: z.enum(['fired', 'self', 'beaten', 'unmatched']),
  location: z.string().nullable(),
  winner: AnsweringRule.nullable(),
  hops: z.array(
    z.object({
      url: z.string(),
      redirect_id: z.int().nullable(),
      status_code: z.int(),
      location: z.string().nullable(),
    }),
  ),
  outcome: z.enum(['end', 'loop', 'too-many', 'gone', 'external']),
  final_url: z.string(),
});

const LoopBody = z.object({ environment: EnvironmentName, paths: z.array(z.string()), endless: z.boolean() });

/** What is known of a redirect before it is written. */
export const CheckedRedirect = z
  .object({
    canonical_old_path: z.string().nullable(),
    issues: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
    taken_by: RedirectBody.nullable(),
    now: AnsweringRule.nullable(),
    trial: Trial.nullable(),
    loops: z.array(LoopBody),
  })
  .meta({ id: 'CheckedRedirect' });

/** A loop as a list of one, or of none. */
export function loopBodies(environment: Environment, loop: DraftLoop | null): z.input<typeof LoopBody>[] {
  return loop ? [{ environment, ...loop }] : [];
}

export function ruleBody(match: Match): z.input<typeof AnsweringRule> {
  return {
    redirect_id: match.id,
    old_path: match.key,
    is_regex: match.isRegex,
    status_code: match.statusCode,
    location: match.location,
  };
}

/** A trial in the environment of `live`. A redirect that is not there yet has no id. */
export function trialBody(
  { environment, rules }: LiveSite,
  { path, query }: MatchRequest,
  { result, location, winner, followed }: DraftTrial,
): z.input<typeof Trial> {
  return {
    environment,
    version: rules.version,
    path,
    query,
    result,
    location,
    winner: winner && ruleBody(winner),
    hops: followed.hops.map((hop) => ({
      url: hop.url,
      redirect_id: hop.ruleId === NEW_RULE ? null : hop.ruleId,
      status_code: hop.statusCode,
      location: hop.location,
    })),
    outcome: followed.outcome,
    final_url: followed.finalUrl,
  };
}
