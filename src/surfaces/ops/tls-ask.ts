import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { Message, queryObject } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { allowed, createTlsPermission, TLS_ASK_PATH } from './tls-permission.ts';

/** GET /api/tls/ask: outside the guard of the session API, so that no credential costs a query. */
export function tlsAskRoute(api: Api, { rulesets, config, state, rateLimit }: SurfaceDeps): void {
  const problemOf = createTlsPermission({ registry: rulesets, publicUrl: config.publicUrl, state });
  api.get(TLS_ASK_PATH, {
    config: { public: true },
    onRequest: (request, reply) => rateLimit.spendTlsAsk(request, reply),
    operationId: 'askForCertificate',
    tag: 'Operation',
    summary: 'May a host get a certificate',
    description:
      "For a proxy that obtains certificates on demand, such as Caddy's `on_demand_tls`. Responds from memory, also while the database is away. It has its own budget of 6,000 requests per minute and client address. docs/domains.md has a configuration.",
    returns: 'The host is verified, below a verified wildcard, or that of `PUBLIC_URL`.',
    errors: ['HOST_NOT_FOUND'],
    example: { query: { domain: 'demo.localhost' } },
    querystring: queryObject({
      domain: z.string().min(1).describe('The host of a TLS handshake, such as www.example.com.'),
    }),
    response: { 200: Message },
    async handler({ query }) {
      const problem = problemOf(query.domain);
      if (problem) throw problem;
      return allowed(query.domain);
    },
  });
}
