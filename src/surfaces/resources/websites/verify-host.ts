import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { createServiceHosts } from '../../../websites/service-hosts.ts';
import { verifyHost } from '../../../websites/verify-host.ts';
import type { Dialect } from '../dialect.ts';
import { websiteBody, websiteSchema } from './websites.ts';

export function verifyHostRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db, config, siteChanged } = deps;
  const { path, read } = dialect.websiteId;
  const { needsProof } = createServiceHosts(config);
  const { dnsServers } = config;
  app.post('/websites/:id/hosts/verify', {
    ...dialect.operation('verifyHost', 'websites'),
    summary: 'Verify a host',
    description:
      'Looks up the TXT record that `verification` of the host names. If anyone can sign up (`SIGN_UP=open`), a website responds only for verified hosts; otherwise hosts are verified at once. Several websites may claim a host; the first that verifies it has it.',
    returns: 'The website; the host is verified and takes effect within a second.',
    errors: ['WEBSITE_NOT_FOUND', 'NOT_VERIFIED', 'VALIDATION_ERROR', 'CONFLICT', 'BUSY'],
    example: { path: { id: dialect.writeId(1) }, body: { hostname: 'demo.localhost' } },
    params: z.object({ id: path }),
    body: bodyObject({ hostname: z.string().describe('A host of the website.') }),
    response: { 200: z.object({ website: websiteSchema(dialect).describe('The website.') }) },
    async handler({ actor, params, body }) {
      const websiteId = read(params.id);
      const input = { websiteId, hostname: body.hostname };
      const website = await verifyHost(db, actor, input, { needsProof, dnsServers });
      await siteChanged(websiteId);
      return { website: websiteBody(website) };
    },
  });
}
