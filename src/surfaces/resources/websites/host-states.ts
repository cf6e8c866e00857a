import { z } from 'zod';
import { DNS_STATES, isApex, MAX_ADDRESSES } from '../../../domains/dns-state.ts';
import { listHosts } from '../../../domains/list-hosts.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  EnvironmentName,
  nextCursor,
  pageParameters,
  queryObject,
  searchText,
  Timestamp,
  component,
  part,
} from '../../../http/wire/fields.ts';
import { releaseRead } from '../../../http/shares/read-shares.ts';
import type { Api } from '../../../http/wire/zod.ts';
import type { Dialect } from '../dialect.ts';
import { domainRedirect } from './website-hosts.ts';

export const HostStateBody = component('HostState', {
  hostname: z.string().describe('The host, or a wildcard such as `*.example.com`.'),
  is_apex: z.boolean().describe('Whether it is a registered domain, which cannot have a `CNAME`.'),
  environment: EnvironmentName.describe('The environment whose rules the host serves.'),
  redirect_to: z
    .object(domainRedirect)
    .nullable()
    .describe('Where every request to the host is redirected to; null if the host serves rules.'),
  verified: z.boolean().describe('If false, the website does not respond for the host yet.'),
  dns: part('Where DNS points the host to.', {
    state: z
      .enum(DNS_STATES)
      .describe(
        '`here`: every address is one of the service. `elsewhere`: at least one is not. `nowhere`: DNS has no address. `unknown`: the name servers did not answer, or the check has not ended.',
      ),
    addresses: z
      .array(z.string())
      .describe(`The IP addresses in DNS, the first ${MAX_ADDRESSES}. For a wildcard, those of a name below it.`),
    problem: z.string().nullable().describe('What is wrong, and what to do; null if the state is `here`.'),
  }),
  certificate: part(
    'The certificate of the host on port 443, as this service sees it. null if the host is not verified, has no address or is a wildcard.',
    {
      issuer: z.string().nullable().describe('The certificate authority; null without a certificate.'),
      valid_until: Timestamp.nullable().describe('When the certificate expires; null without one.'),
      error: z.string().nullable().describe('Why browsers reject the host over HTTPS; null if they accept it.'),
    },
  ).nullable(),
  last_request_at: Timestamp.nullable().describe(
    'When this service last answered a request of a visitor at the host, to the minute. null: never. Requests that an edge agent, your own servers or files answer are not included.',
  ),
  checked_at: Timestamp.nullable().describe('When the host was checked; null if the check has not ended.'),
});

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 25;

/** GET /websites/{id}/hosts: the state of each host in DNS, and its certificate. */
export function hostStatesRoute(app: Api, { db, hostChecks }: SurfaceDeps, dialect: Dialect): void {
  const { path, read } = dialect.websiteId;
  app.get('/websites/:id/hosts', {
    config: { role: 'viewer' },
    ...dialect.operation('listHosts', 'websites'),
    summary: 'Check hosts',
    description:
      'Looks up each host in DNS, and reads the certificate of verified hosts. Results are at most 30 s old. Hosts whose check takes more than 8 s are `unknown`, and the next call has their state. docs/domains.md explains each state.',
    returns: 'A page of the hosts in the order of the website.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: dialect.writeId(dialect.surface === 'key' ? 3 : 2) }, query: { limit: 10 } },
    params: z.object({ id: path }),
    querystring: queryObject({
      q: searchText.optional().describe('Only hosts that contain this text, in any case.'),
      ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT),
    }),
    response: {
      200: z.object({ hosts: z.array(HostStateBody).describe('The hosts.'), next_cursor: nextCursor }),
    },
    async handler(request) {
      const { actor, params, query } = request;
      const { q: search, limit = DEFAULT_LIMIT, cursor } = query;
      const page = { websiteId: read(params.id), search, limit, cursor };
      const { hosts, nextCursor: next } = await listHosts(db, actor, page);
      // The checks take seconds, and need no connection to the database.
      releaseRead(request);
      const states = await hostChecks.check(actor.accountId, hosts);
      const found = hosts.flatMap((host, index) => {
        const state = states[index];
        return state ? [{ ...host, ...state, isApex: isApex(host.hostname) }] : [];
      });
      return { hosts: found, nextCursor: next };
    },
  });
}
