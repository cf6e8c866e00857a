import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { takeStreams, withDecodedBody } from '../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { withZod } from '../../http/wire/zod.ts';
import { createServiceHosts } from '../../websites/service-hosts.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { keyDialect } from '../resources/dialect.ts';
import { AddedBody, RemovedBody } from './hosts-wire.ts';

const PATH = '/websites/:id/hosts';
const count = z.int();
const hostCount = count.describe('The hosts that the website then has.');

const Added = z.object({
  added: count.describe('New hosts.'),
  updated: count.describe('Hosts that the website had with another environment or `redirect_to`.'),
  unchanged: count.describe('Hosts that the website had like this.'),
  host_count: hostCount,
});
const Removed = z.object({
  removed: count.describe('Removed hosts.'),
  unknown: count.describe('Names that are no hosts of the website.'),
  host_count: hostCount,
});

/** POST, DELETE /api/v1/websites/{id}/hosts. Needs a separate scope, because it parses bodies as streams. */
export async function hostsRoutes(app: FastifyInstance, { db, jobs, config, siteChanged }: SurfaceDeps): Promise<void> {
  const { reserved, needsProof } = createServiceHosts(config);
  const { path, read } = keyDialect.websiteId;
  const shared = { tag: 'Websites (key API)', params: z.object({ id: path }) } as const;
  takeStreams(app, ['application/json']);
  const api = withZod(app);

  api.post(PATH, {
    config: { takes: { 'application/json': AddedBody } },
    ...shared,
    operationId: 'addHostsV1',
    summary: 'Add hosts',
    description:
      'Adds up to 10,000 hosts at the end of the list of the website, and sets the given values of those that it has. Its other hosts stay. The body has at most 16 MiB, and may be gzipped. If one host is invalid, none is added.',
    returns: 'What changed. The hosts take effect within a second, or, if anyone can sign up, once they are verified.',
    errors: ['WEBSITE_NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BODY_TOO_LARGE', 'BUSY'],
    example: {
      path: { id: keyDialect.writeId(1) },
      body: {
        hosts: [
          { hostname: 'old.localhost', environment: 'production', redirect_to: { url: 'https://www.example.com' } },
        ],
      },
    },
    response: { 200: Added },
    async handler(request) {
      const websiteId = read(request.params.id);
      await requireWebsiteRow(db, request.actor, websiteId);
      const input = { websiteId, reserved, needsProof };
      const counts = await withDecodedBody(request, (body) => jobs.addHosts(request.actor, input, body));
      await siteChanged(websiteId);
      return counts;
    },
  });

  api.delete(PATH, {
    config: { takes: { 'application/json': RemovedBody } },
    ...shared,
    operationId: 'removeHostsV1',
    summary: 'Remove hosts',
    description:
      'Removes up to 10,000 hosts by their names. Its other hosts stay. A name that the website does not have is counted as `unknown`. The body has at most 16 MiB, and may be gzipped.',
    returns: 'What changed. The hosts stop within a second.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BODY_TOO_LARGE', 'BUSY'],
    example: { path: { id: keyDialect.writeId(1) }, body: { hosts: ['old.localhost'] } },
    response: { 200: Removed },
    async handler(request) {
      const websiteId = read(request.params.id);
      await requireWebsiteRow(db, request.actor, websiteId);
      const counts = await withDecodedBody(request, (body) => jobs.removeHosts(request.actor, { websiteId }, body));
      await siteChanged(websiteId);
      return counts;
    },
  });
}
