import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { takeStreams, withDecodedBody } from '../../../http/body/decoded-body.ts';
import { limitBytes } from '../../../http/body/read-body.ts';
import { withSpooledBody } from '../../../http/body/spool.ts';
import { withUploads } from '../../../http/body/upload.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { withZod } from '../../../http/wire/zod.ts';
import { maxBodyBytes } from '../../../vocabulary/call-limits.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { BODY_ERRORS, unusedExamples, unusedRows } from '../urls/url-wire.ts';
import { formBody, MoveForm, NewMove } from './move-body.ts';
import { Move, moveBody, MOVES, websiteParams } from './move-wire.ts';

const MAX_JSON_BYTES = 64 * 1024 * 1024;
const TOO_LARGE =
  'body: at most 64 MiB of JSON; nothing was applied, send the lists as files (multipart/form-data with the parts from and to)';

/** POST /moves. Needs a separate scope, because it reads bodies as streams. */
export async function createMoveRoute(app: FastifyInstance, { jobs }: SurfaceDeps): Promise<void> {
  takeStreams(app, ['application/json']);
  await app.register(multipart);
  withZod(app).post(MOVES, {
    config: { forDashboard: true, takes: { 'application/json': NewMove, 'multipart/form-data': MoveForm } },
    operationId: 'createMoveV1',
    tag: 'Moves (key API)',
    summary: 'Create a move',
    description:
      'Creates rows of old URLs and candidates of new pages. Suggestions are computed in the background, heaviest rows first. The body is JSON of at most 64 MiB, or a form with the same fields, whose parts `from` and `to` may be files as of a push of URLs. A move has at most 200,000 rows and 1,000,000 candidates, a website at most 20 moves that were not applied.',
    returns: 'The move, and the URLs of the list `from` that are no rows.',
    errors: [...BODY_ERRORS, 'TARGET_HOST_NOT_ALLOWED', 'TOO_MANY_MOVES'],
    example: {
      path: { id: '1' },
      body: { name: 'Relaunch', from: { urls: ['/old/install.html', { url: '/old/jobs?id=7', weight: 40 }] } },
    },
    params: websiteParams,
    response: { 202: z.object({ move: Move, ...unusedRows, ...unusedExamples }) },
    async handler(request) {
      const { actor, params } = request;
      const websiteId = keyDialect.websiteId.read(params.id);
      const created = request.isMultipart()
        ? await withUploads(request, ['from', 'to'], (uploads) =>
            jobs.createMove(actor, { websiteId, body: formBody(uploads, maxBodyBytes(actor.plan)) }),
          )
        : await withDecodedBody(request, (body) =>
            withSpooledBody(actor, limitBytes(body, MAX_JSON_BYTES, TOO_LARGE), (json) =>
              jobs.createMove(actor, { websiteId, body: { json } }),
            ),
          );
      return { ...created.unused, move: moveBody(actor, created.move) };
    },
  });
}
