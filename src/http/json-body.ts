import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../vocabulary/error.ts';

/** Takes application/json and nothing else. An empty body is no body; one that is not UTF-8 is refused, not mended. */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (isUtf8(body)) return void parse(request, body.toString('utf8'), done);
    done(
      new DomainError('INVALID_JSON', 'The body is not valid UTF-8', { details: 'body: send JSON in UTF-8' }),
    );
  });
}
