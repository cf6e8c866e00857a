import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, Timestamp } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { listAccepted, replaceAccepted } from '../../../urls/accepted.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { urlParams, URLS } from './url-wire.ts';

const glob = z
  .string()
  .describe('URLs: `*` matches any run of characters, `/` included; nothing else is special. At most 2,048 bytes.');
const reason = z.string().describe('Why the loss is accepted, at most 500 characters.');
const until = Timestamp.nullable().describe('When it ends; null: never.');

export const Accepted = z.object({
  accepted: z.array(z.object({ glob, reason, until })).describe('The accepted losses, expired ones included.'),
});

/** GET, PUT /urls/accepted. */
export function acceptedLossRoutes(api: Api, { db }: SurfaceDeps): void {
  const { read } = keyDialect.websiteId;
  const shared = { tag: 'URLs (key API)', params: urlParams, response: { 200: Accepted } } as const;
  api.get(`${URLS}/accepted`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'listAcceptedLossesV1',
    summary: 'List accepted losses',
    description:
      'Lost URLs that match one of them are `accepted`: a check counts them apart, and no gate fails on them.',
    returns: 'The accepted losses in their order.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    async handler({ actor, params }) {
      return { accepted: await listAccepted(db, actor, read(params.id)) };
    },
  });

  api.put(`${URLS}/accepted`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'replaceAcceptedLossesV1',
    summary: 'Replace accepted losses',
    description: 'Afterwards the website has exactly those of the body, at most 1,000.',
    returns: 'The accepted losses.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: {
      path: { id: '1' },
      body: { accepted: [{ glob: '/archive/*', reason: 'The archive was closed' }] },
    },
    body: bodyObject({
      accepted: z
        .array(z.strictObject({ glob, reason: reason.default(''), until: until.default(null) }))
        .describe('The accepted losses.'),
    }),
    async handler({ actor, params, body }) {
      await replaceAccepted(db, actor, read(params.id), body.accepted);
      return body;
    },
  });
}
