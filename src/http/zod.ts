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
import { refusal } from './zod-issues.ts';

/** Types of requests and answers from the zod schemas of a route: what codecs decode to, on both sides. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
}

/** The app as surfaces see it: `schema` of a route takes zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypes
>;

/** The app with zod for its schemas; every route registered on it afterwards is checked by it. */
export function withZod(app: FastifyInstance): Api {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  return app.withTypeProvider<ZodTypes>();
}

/** Decodes a part of the request; a refusal is a DomainError that names the fields. */
const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart === 'querystring' || httpPart === 'params' ? httpPart : 'body';
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return (data: unknown) => {
    // A body that is left out is one without fields: the answer then names those that are missing.
    const given = part === 'body' && (data === undefined || data === null) ? {} : data;
    const result = schema.safeDecode(given);
    return result.success
      ? { value: result.data }
      : { error: refusal(part, result.error.issues, given, known) };
  };
};

/** Encodes an answer; one that does not fit its schema is our mistake and a 500. */
const serializerCompiler: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(z.encode(schema, data));
