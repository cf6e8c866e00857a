import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchemaCompiler,
  FastifyTypeProvider,
  RawServerDefault,
} from 'fastify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { requestError } from './zod-issues.ts';

/** Types of requests and responses from the zod schemas of a route: the decoded side of codecs. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
}

/** A Fastify instance whose routes take zod schemas. */
export type Api = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypes>;

/** Validates requests and encodes responses of routes registered afterwards with their zod schemas. */
export function withZod(app: FastifyInstance): Api {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  return app.withTypeProvider<ZodTypes>();
}

/** Decodes a part of the request. A failure becomes a DomainError that names the fields. */
const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart === 'querystring' || httpPart === 'params' ? httpPart : 'body';
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return (data: unknown) => {
    // An absent body counts as an empty object, so that the error names the missing fields.
    const input = part === 'body' && (data === undefined || data === null) ? {} : data;
    const result = schema.safeDecode(input);
    return result.success ? { value: result.data } : { error: requestError(part, result.error.issues, input, known) };
  };
};

/** Encodes a response. One that does not match its schema is an internal error (500). */
const serializerCompiler: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(z.encode(schema, data));
