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
  .regex(
    /^\/(?:api|v1)\/[!-~]*$/,
    'must be a path of this service below /api/ or /v1/, with its query, and with other characters percent-encoded',
  )
  .refine((text) => !/#|[?&]download_token=/.test(text), 'must have neither a fragment nor a download_token')
  .describe('The path to download, below `/api/` or `/v1/`, with its query.');

const Created = z.object({
  download: part('The address.', {
    url: z.string().describe('Without the origin of this service: the path with a `download_token`.'),
    expires_at: Timestamp.describe('When it expires: 60 s after the call.'),
  }),
});

/** POST /api/v1/downloads. */
export function downloadRoute(api: Api, deps: SurfaceDeps): void {
  api.post('/downloads', {
    config: { forDashboard: true, role: 'viewer', scope: 'read' },
    operationId: 'createDownloadV1',
    tag: 'Account and activity (key API)',
    summary: 'Create an address that downloads a path once',
    description:
      'A browser opens it without headers, and receives what a GET of the path answers to the caller, once, within 60 s. Everyone who has the address can use it. An account has at most 100 open addresses; a further one replaces the oldest.',
    returns: 'The address, and when it expires.',
    errors: [],
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
