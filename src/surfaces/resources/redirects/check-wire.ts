import { z } from 'zod';
import type { LiveSite } from '../../../deployments/live/rulesets.ts';
import { EnvironmentName } from '../../../http/fields.ts';
import { NEW_RULE } from '../../../redirects/draft/check-draft.ts';
import type { DraftLoop, DraftTrial } from '../../../redirects/draft/try-draft.ts';
import type { Match, MatchRequest } from '../../../resolver/rule.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { matchSchema } from './test.ts';
import { redirectSchema } from './wire.ts';

function trialSchema<W extends Wire>(dialect: Dialect<W>) {
  return z.object({
    environment: EnvironmentName,
    version: z.int(),
    path: z.string(),
    query: z.string().nullable(),
    result: z.enum(['fired', 'self', 'beaten', 'unmatched']),
    location: z.string().nullable(),
    winner: matchSchema(dialect).nullable(),
    hops: z.array(
      z.object({
        url: z.string(),
        redirect_id: dialect.id.nullable(),
        status_code: z.int(),
        location: z.string().nullable(),
      }),
    ),
    outcome: z.enum(['end', 'loop', 'too-many', 'gone', 'external']),
    final_url: z.string(),
  });
}

const Loop = z.object({ environment: EnvironmentName, paths: z.array(z.string()), endless: z.boolean() });

export function checkedSchema<W extends Wire>(dialect: Dialect<W>) {
  return z
    .object({
      canonical_old_path: z.string().nullable(),
      issues: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
      taken_by: redirectSchema(dialect).nullable(),
      now: matchSchema(dialect).nullable(),
      trial: trialSchema(dialect).nullable(),
      loops: z.array(Loop),
    })
    .meta({ id: `CheckedRedirect${dialect.suffix}` });
}

/** Empty without a loop. */
export function loopBodies(environment: Environment, loop: DraftLoop | null): z.input<typeof Loop>[] {
  return loop ? [{ environment, ...loop }] : [];
}

export function matchBody(match: Match, { writeId }: Dialect) {
  return {
    redirect_id: writeId(match.id),
    old_path: match.key,
    is_regex: match.isRegex,
    status_code: match.statusCode,
    location: match.location,
  };
}

/** A trial in the environment of `live`. `redirect_id` is null for a redirect that is not stored yet. */
export function trialBody(
  { environment, rules }: LiveSite,
  { path, query }: MatchRequest,
  { result, location, winner, followed }: DraftTrial,
  dialect: Dialect,
) {
  return {
    environment,
    version: rules.version,
    path,
    query,
    result,
    location,
    winner: winner && matchBody(winner, dialect),
    hops: followed.hops.map((hop) => ({
      url: hop.url,
      redirect_id: hop.ruleId === NEW_RULE ? null : dialect.writeId(hop.ruleId),
      status_code: hop.statusCode,
      location: hop.location,
    })),
    outcome: followed.outcome,
    final_url: followed.finalUrl,
  };
}
