import { z } from 'zod';
import { domainRedirect } from '../resources/websites/website-hosts.ts';
import { name, queryInteger, queryObject, listOf } from '../../http/wire/fields.ts';
import { AGENT_KINDS } from '../../vocabulary/kinds.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { STATUS_CODES } from '../../vocabulary/status-code.ts';
import { keyDialect } from '../resources/dialect.ts';

export const FEED_TYPE = 'application/x-ndjson';

const MAX_VERSION = 999_999_999;
const MAX_WAIT_SECONDS = 60;

export const FeedParams = z.object({
  website_id: keyDialect.websiteId.path,
  environment: z.string().describe(`The environment: ${ENVIRONMENTS.map((one) => `\`${one}\``).join(', ')}.`),
});

/** Returns the environment in a path. Throws INVALID_PARAMETER for any other text. */
export function readEnvironment(text: string): Environment {
  const environment = ENVIRONMENTS.find((one) => one === text);
  if (environment) return environment;
  throw wrongParameter('environment', `must be one of ${ENVIRONMENTS.join(', ')}`);
}

export const FeedQuery = queryObject({
  since: queryInteger(0, MAX_VERSION)
    .optional()
    .describe('The version that the follower has: the response is the difference from it. 0 is the empty version.'),
  history: z
    .string()
    .max(100)
    .optional()
    .describe('The `history` of the version `since`. If the service has another version of that number: 410.'),
  wait: queryInteger(0, MAX_WAIT_SECONDS)
    .optional()
    .describe(
      'Seconds to wait for something newer than `since`, or than the version in `If-None-Match`. Then the response is 304.',
    ),
  options: z
    .string()
    .max(100)
    .optional()
    .describe('The `options_checksum` that the follower has: other options count as something newer.'),
  agent: name
    .optional()
    .describe('The name of the follower, 1 to 200 characters: it is then in the [list of agents](#listAgentsV1).'),
  kind: z.enum(AGENT_KINDS).optional().describe('What the follower is, for the list of agents. Default `edge`.'),
  serving: queryInteger(0, MAX_VERSION)
    .optional()
    .describe('The version that the follower serves, for the list of agents. Default: `since`.'),
});

const id = z.string().describe('The id of the redirect.');
const time = z.iso.datetime().nullable();

const FeedRule = z.object({
  id,
  old_path: z.string().describe('The path, or a pattern.'),
  new_path: z.string().nullable().describe('The target; null for 410 and 451.'),
  status_code: z.literal(STATUS_CODES).describe('The status of the response.'),
  is_regex: z.boolean().describe('Whether `old_path` is a pattern.'),
  active_from: time.describe('The start of its schedule, inclusive; null if open.'),
  active_until: time.describe('The end of its schedule, exclusive; null if open.'),
});

const FeedOptions = z.object({
  case_sensitive: z.boolean().describe('Whether the case of paths matters.'),
  trailing_slash: z.enum(['ignore', 'exact']).describe('Whether a final slash matters.'),
  query: z.enum(['pass', 'drop', 'exact']).describe('What happens to the query of a request.'),
  fallback_url: z.string().nullable().describe('Where requests without a rule are redirected to; null: 404.'),
  allowed_target_hosts: z.array(z.string()).describe('Other hosts that targets may have.'),
  hosts: listOf('The verified hosts of the environment.', {
    hostname: z.string().describe('The hostname, or a wildcard such as `*.example.com`.'),
    redirect_to: z
      .object(domainRedirect)
      .optional()
      .describe('Redirects the host as a whole, before any rule; absent if the rules respond.'),
  }),
});

const FeedHead = z.object({
  version: z.int().describe('The live version; 0 before the first deployment.'),
  history: z.string().describe('The id of the version. Send it with `since`; empty for version 0.'),
  count: z.int().describe('The number of rules in the version, also in a difference.'),
  options: FeedOptions.describe('The options and hosts that responses depend on. They are not versioned.'),
  options_checksum: z.string().describe('Changes with the options. Send it as `options`.'),
  checksum: z.string().describe('The checksum of the rules of the version, also in a difference.'),
});

/** Any line of a feed. */
export const FeedLine = z.union([
  FeedHead,
  FeedRule,
  z.object({ put: FeedRule.describe('A rule that is new or changed.') }),
  z.object({ delete: id }),
  z.object({ end: z.literal(true).describe('The last line.') }),
]);
