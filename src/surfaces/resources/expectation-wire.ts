/** Expectations in requests and responses. Both surfaces write them alike, because they have no ids. */
import { z } from 'zod';
import { MAX_LOCATION, MAX_URL_BYTES } from '../../expectations/check-expectation.ts';
import { EXPECTED_STATUSES } from '../../vocabulary/status-code.ts';
import { EnvironmentName, component, part, Timestamp } from '../../http/wire/fields.ts';

const statuses = EXPECTED_STATUSES.join(', ');
const url = z
  .string()
  .max(MAX_URL_BYTES)
  .describe('A path with its query, or a URL on a host of the website in this environment. At most 2,048 bytes.');
const status_code = z
  .int()
  .describe(`The status that a visitor gets: ${statuses}. 404: no redirect matches, and the website has no fallback.`);
const location = z
  .string()
  .max(MAX_LOCATION)
  .nullable()
  .describe('The exact `Location` that a visitor gets; null: any. Only with a status of a redirect.');
const final = z
  .string()
  .max(MAX_LOCATION)
  .nullable()
  .describe('Instead of `location`: the last URL of the chain, as the URL test shows it; null: any.');

export const LossReasonName = z
  .enum(['unanswered', 'dead_end', 'loop'])
  .describe(
    'Of a lost URL: `unanswered`, `dead_end` (its chain ends at a lost URL of the website) or `loop` (or over 20 redirects).',
  );
export const ShadowKindName = z
  .enum(['literal', 'pattern', 'case', 'slash'])
  .describe('How the rule matches: its exact path, a pattern, by folding the case or by ignoring the final slash.');

/** An entry of a body. */
export const ExpectationEntry = z
  .strictObject({
    url,
    environment: EnvironmentName.optional().describe('The environment. Default `production`.'),
    status_code,
    location: location.optional(),
    final: final.optional(),
  })
  .meta({ id: 'ExpectationEntry' });

const response = { status_code, location, final };

const actual = part('The actual response.', {
  ...response,
  status_code: z.int().nullable().describe('The status that a visitor gets; null if `problem` prevents one.'),
  problem: z
    .string()
    .nullable()
    .describe('A loop, a chain of more than 20 redirects or a host that is not one of the website; otherwise null.'),
});

export const ExpectationBody = component('Expectation', {
  url,
  environment: EnvironmentName.describe('The environment.'),
  status_code,
  location,
  final,
  result: z
    .enum(['holds', 'fails'])
    .nullable()
    .describe('The last result against the live rules; null: none since the expectation changed.'),
  result_since: Timestamp.nullable().describe('Since when the result is the same; null without one.'),
  actual: actual
    .nullable()
    .describe('The response of the last run, if it fails; of the first 1,000 that fail. Otherwise null.'),
});

const failure = {
  url,
  expected: z.object(response).describe('The expected response.'),
  actual,
};

/** A failed expectation, as deployments/gate/describe.ts writes it. */
export const ExpectationFailure = component('ExpectationFailure', failure);

/** A failure that prevents a deployment, as deployments/gate/run-gates.ts writes it. */
export const GateFailure = component('GateFailure', {
  kind: z
    .enum(['expectation', 'url_lost', 'url_shadowed'])
    .describe('An expectation that does not hold, a URL that is lost, or a living page that a rule hides.'),
  url: z.string().describe('The URL of the expectation, or the canonical one of the list.'),
  expected: failure.expected.optional().describe('Of an expectation: the expected response.'),
  actual: failure.actual.optional().describe('Of an expectation: the actual response.'),
  weight: z.number().optional().describe('Of a URL: 10 for each link, and its clicks and hits.'),
  reason: LossReasonName.optional(),
  old_path: z.string().optional().describe('Of a hidden page: the path or pattern of the rule.'),
  shadowed_by: ShadowKindName.optional(),
});
