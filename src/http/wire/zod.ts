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
import { type Camel, namesFromWire, namesToWire } from './wire-names.ts';
import { requestError } from './zod-issues.ts';

/** Types of requests and responses from the zod schemas of a route: the decoded side of codecs, with camelCase names. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? Camel<z.output<this['schema']>> : unknown;
  serializer: this['schema'] extends z.ZodType ? Camel<z.output<this['schema']>> : unknown;
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
  const rename = namesFromWire(schema);
  return (data: unknown) => {
    // An absent body counts as an empty object, so that the error names the missing fields.
    const input = part === 'body' && (data === undefined || data === null) ? {} : data;
    const result = schema.safeDecode(input);
    if (result.success) return { value: rename(result.data) };
    return { error: requestError(part, result.error.issues, input, known) };
  };
};

/** Encodes a response. One that does not match its schema is an internal error (500). */
const serializerCompiler: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  const encode = encoder(schema);
  return (data) => JSON.stringify(encode(data));
};

/** Returns the encoder of responses with this schema. It throws if a value does not match. */
export function encoder<Schema extends z.ZodType>(schema: Schema): (value: Camel<z.output<Schema>>) => z.input<Schema> {
  const rename = namesToWire(schema);
  return (value) => z.encode(schema, rename(value));
}
