import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  HTTPMethods,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import { z } from 'zod';
import type { RouteDocs } from '../route-docs.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import { type Camel, namesFromWire, namesToWire } from './wire-names.ts';
import { requestError } from './zod-issues.ts';

/** The decoded side of a schema, with camelCase names. */
type Decoded<Schema> = Schema extends z.ZodType ? Camel<z.output<Schema>> : unknown;

type Responses = Readonly<Record<number, z.ZodType>>;
type Options = Pick<RouteShorthandOptions, 'config' | 'bodyLimit' | 'exposeHeadRoute' | 'onRequest'>;
type Reply<R> = Responses extends R
  ? FastifyReply
  : FastifyReply<{ Reply: { [Status in keyof R]: Decoded<R[Status]> } }>;

/**
 * A route: texts of the API reference, zod schemas of its request and responses, and its handler. The response has the
 * lowest status of `response`, or 200, unless the handler sets another one.
 */
interface ApiRoute<P, Q, B, R extends Responses> extends RouteDocs, Options {
  params?: P;
  querystring?: Q;
  body?: B;
  response?: R;
  handler(
    request: FastifyRequest<{ Params: Decoded<P>; Querystring: Decoded<Q>; Body: Decoded<B> }>,
    reply: Reply<R>,
  ): Promise<Decoded<R[keyof R]> | Reply<R>>;
}

type AddRoute = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends Responses>(
  url: string,
  route: ApiRoute<P, Q, B, R>,
) => void;

/** Registers routes by method. */
export type Api = Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', AddRoute>>;

/** The query of a route without parameters. An ignored `dry_run` would apply the request. */
const NO_QUERY = z.strictObject({});

/** Routes of a scope, whose requests are validated and whose responses are encoded with their zod schemas. */
export function withZod(app: FastifyInstance): Api {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const adder =
    (method: HTTPMethods): AddRoute =>
    (url, { config = {}, bodyLimit, exposeHeadRoute, onRequest, handler, ...schema }) => {
      const options = omitUndefined({ bodyLimit, exposeHeadRoute, onRequest });
      const [status = 200] = Object.keys(schema.response ?? {}).map(Number);
      // The validator and the serializer below give the handler its types.
      const untyped = handler as unknown as RouteHandlerMethod;
      const withStatus: RouteHandlerMethod = (request, reply) => untyped.call(app, request, reply.code(status));
      app.route({ method, url, config, ...options, schema: { querystring: NO_QUERY, ...schema }, handler: withStatus });
    };
  return {
    get: adder('GET'),
    post: adder('POST'),
    put: adder('PUT'),
    patch: adder('PATCH'),
    delete: adder('DELETE'),
  };
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
