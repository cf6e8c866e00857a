import { z } from 'zod';
import { EnvironmentName } from '../../http/fields.ts';
import type { TestedAddress } from '../../deployments/live/test-url.ts';

/** A rule with the Location that it has for an address. */
export const AnsweringRule = z.object({
  redirect_id: z.int(),
  old_path: z.string(),
  is_regex: z.boolean(),
  status_code: z.int(),
  location: z.string().nullable(),
});
const Rule = AnsweringRule.extend({
  kind: z.enum(['query', 'exact', 'slash', 'pattern']),
  outcome: z.enum(['fired', 'self', 'beaten']),
});
const Hop = z.object({
  url: z.string(),
  redirect_id: z.int(),
  status_code: z.int(),
  location: z.string().nullable(),
});
export const TestedBody = z
  .object({
    environment: EnvironmentName,
    version: z.int(),
    path: z.string(),
    query: z.string().nullable(),
    match: Rule.nullable(),
    beaten: z.array(Rule),
    status_code: z.int(),
    location: z.string().nullable(),
    hops: z.array(Hop),
    outcome: z.enum(['end', 'loop', 'too-many', 'gone', 'external']),
    final_url: z.string(),
  })
  .meta({ id: 'TestedAddress' });

/** What the live rules do with an address, and why; `match` is the rule that answers. */
export function testedBody(tested: TestedAddress): z.output<typeof TestedBody> {
  const rules = tested.candidates.map((candidate) => ({
    redirect_id: candidate.id,
    old_path: candidate.key,
    is_regex: candidate.isRegex,
    status_code: candidate.statusCode,
    location: candidate.location,
    kind: candidate.kind,
    outcome: candidate.outcome,
  }));
  const winner = rules.find((rule) => rule.outcome === 'fired') ?? null;
  const { hops, outcome, finalUrl } = tested.followed;
  return {
    environment: tested.environment,
    version: tested.version,
    path: tested.path,
    query: tested.query,
    match: winner,
    beaten: rules.filter((rule) => rule !== winner),
    status_code: winner?.status_code ?? (tested.fallbackUrl === null ? 404 : 302),
    location: winner ? winner.location : fallback(tested),
    hops: hops.map((hop) => ({
      url: hop.url,
      redirect_id: hop.ruleId,
      status_code: hop.statusCode,
      location: hop.location,
    })),
    outcome,
    final_url: finalUrl,
  };
}

function fallback({ fallbackUrl, path, query }: TestedAddress): string | null {
  if (fallbackUrl === null) return null;
  return fallbackUrl.replace(/\/$/, '') + path + (query === null ? '' : `?${query}`);
}
