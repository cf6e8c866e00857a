import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../../http/authenticate.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { createDownload, type Credential } from '../../http/download-link.ts';
import { bodyObject, part, Timestamp } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';

const MAX_PATH = 8_192;

const path = z
  .string()
  .max(MAX_PATH)
  .refine(
    (text) => /^\/(?:api|v1)\/[!-~]*$/.test(text),
    'must be a path of this service below /api/ or /v1/, with its query, and with other characters percent-encoded',
  )
  .refine((text) => !/#|[?&]download_token=/.test(text), 'must have neither a fragment nor a download_token')
  .describe('A path below `/api/` or `/v1/`, with its query.');

const Created = z.object({
  download: part('The URL.', {
    url: z.string().describe('The path with a `download_token`, without the origin.'),
    expires_at: Timestamp.describe('When it expires.'),
  }),
});

/** POST /api/v1/downloads. */
export function downloadRoute(api: Api, deps: SurfaceDeps): void {
  api.post('/downloads', {
    config: { forDashboard: true, role: 'viewer', scope: 'read' },
    operationId: 'createDownloadV1',
    tag: 'Account and activity (key API)',
    summary: 'Create a one-time URL',
    description:
      'One GET of the URL within 60 s returns the path as its caller sees it. Anyone with the URL can use it, without headers. An account has at most 100; a further one replaces the oldest.',
    returns: 'The URL.',
    errors: ['VALIDATION_ERROR'],
    example: { body: { path: '/api/v1/websites/1/urls/export?format=csv' } },
    body: bodyObject({ path }),
    response: { 201: Created },
    async handler(request) {
      const { accountId } = request.actor;
      const { path: given } = request.body;
      const download = await createDownload(deps, { accountId, path: given, credential: credentialOf(request, deps) });
      return { download };
    },
  });
}

function credentialOf(request: FastifyRequest, { cookie }: SurfaceDeps): Credential {
  const apiKey = bearerToken(request);
  return apiKey === undefined ? { session: cookie.read(request) ?? '' } : { apiKey };
}
