/** The OpenAPI 3.1 document of the registered routes. */
import { z } from 'zod';
import { eventBodySchema, eventTypes } from '../../events/event-schemas.ts';
import { TAGS } from '../../http/route-docs.ts';
import type { TableRoute } from '../../http/route-table.ts';
import { STATUS } from '../../http/errors/status.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { ERROR_CODES, type ErrorCode } from '../../vocabulary/error.ts';
import { COMPONENT_HEADERS, ERROR_SCHEMAS, type Header, INTRODUCTION, securitySchemes } from './components.ts';
import { curlOf } from './curl.ts';
import { createSchemaWriter, type Schema, type SchemaWriter } from './json-schema.ts';
import { audienceOf, errorsOf, needsBody } from './route-errors.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface OpenApiOptions {
  /** base URL of the service, without a trailing slash */
  publicUrl: string;
  cookieName: string;
  version: string;
}

export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; summary: string; version: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** what the service sends to receivers, by event type */
  webhooks: Record<string, { post: Webhook }>;
  components: { schemas: Record<string, Schema>; headers: object; securitySchemes: object };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
  /** the required credential and role, in words */
  'x-access': string;
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

export type Webhook = Pick<Operation, 'operationId' | 'tags' | 'summary' | 'security' | 'requestBody' | 'responses'>;

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** By media type. */
export type Content = Record<string, { schema: Schema; example?: unknown }>;

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
}

export async function openApi(routes: readonly TableRoute[], options: OpenApiOptions): Promise<OpenApi> {
  const slice = createTimeSlice();
  const schemas = createSchemaWriter();
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas, options);
    if (slice.isOver()) await slice.yield();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Detour',
      summary: 'Redirect management',
      version: options.version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(eventTypes().map((type) => [type.event, { post: webhookOf(type, schemas) }])),
    components: {
      schemas: { ...ERROR_SCHEMAS, ...sortedByName(schemas.named) },
      headers: COMPONENT_HEADERS,
      securitySchemes: securitySchemes(options.cookieName),
    },
  };
}

const sortedByName = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function operationOf(route: TableRoute, schemas: SchemaWriter, { publicUrl }: OpenApiOptions): Operation {
  const { operationId = '', tag = '', summary = '', description } = route.schema ?? {};
  const parameters = (['path', 'query'] as const).flatMap((place) => parametersOf(route, schemas, place));
  const requestBody = requestBodyOf(route, schemas);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemas),
    'x-access': accessOf(route),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(route, publicUrl) }],
  };
}

function webhookOf({ event, description }: ReturnType<typeof eventTypes>[number], schemas: SchemaWriter): Webhook {
  return {
    operationId: `on-${event}`,
    tags: ['Webhooks'],
    summary: `${description.charAt(0).toUpperCase()}${description.slice(1)}`,
    // The receiver verifies X-Service-Signature.
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: schemas.write(eventBodySchema(event)) } } },
    responses: { '2XX': { description: 'The receiver has the event. Any other response is retried.' } },
  };
}

function securityOf(route: TableRoute): Operation['security'] {
  const audience = audienceOf(route);
  if (route.config.public || audience === 'service') return [];
  return audience === 'key' ? [{ apiKey: [] }] : [{ session: [] }];
}

function accessOf(route: TableRoute): string {
  const { method, config } = route;
  const audience = audienceOf(route);
  if (config.public || audience === 'service') return 'No credentials';
  const role = config.role ?? (method === 'GET' ? 'viewer' : 'editor');
  if (audience === 'session') return `Session cookie, role ${role}`;
  const scope = config.scope ?? (role === 'viewer' ? 'read' : 'write');
  return `API key, scope ${scope}${config.role === 'owner' ? '; in the dashboard, role owner' : ''}`;
}

function parametersOf(route: TableRoute, schemas: SchemaWriter, place: 'path' | 'query'): Parameter[] {
  const zod = place === 'path' ? route.schema?.params : route.schema?.querystring;
  if (!(zod instanceof z.ZodType)) return [];
  const { properties = {}, required = [] } = schemas.write(zod);
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...schema } = typeof field === 'object' ? field : {};
    const example = route.schema?.example?.[place]?.[name];
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema,
      ...(example !== undefined && { example }),
    };
  });
}

function requestBodyOf(route: TableRoute, schemas: SchemaWriter): Operation['requestBody'] {
  const { body, example } = route.schema ?? {};
  const media = route.config.takes ?? (body instanceof z.ZodType && { 'application/json': body });
  if (!media) return undefined;
  return {
    required: needsBody(route),
    content: contentOf(schemas, media, 'application/json', example?.body),
  };
}

type Media = Readonly<Record<string, z.ZodType>>;

/** `example` is of the media type `exampleType`. */
function contentOf(schemas: SchemaWriter, media: Media, exampleType?: string, example?: unknown): Content {
  const content: Content = {};
  for (const [type, zod] of Object.entries(media)) {
    const schema = schemas.write(zod);
    content[type] = {
      schema: type === 'application/x-ndjson' ? linesOf(schema) : schema,
      ...(example !== undefined && type === exampleType && { example }),
    };
  }
  return content;
}

/** OpenAPI 3.1 cannot describe a body of JSON lines. */
function linesOf(line: Schema): Schema {
  const name = line.$ref?.split('/').at(-1) ?? 'object';
  return { type: 'string', description: `One ${name} per line, each a JSON object.`, 'x-line-schema': line };
}

function responsesOf(route: TableRoute, schemas: SchemaWriter): Operation['responses'] {
  const { response, operationId = '', returns = '' } = route.schema ?? {};
  const responses: Operation['responses'] = {};
  const media = Object.entries(response ?? {}).flatMap(([status, zod]): [string, Media][] =>
    zod instanceof z.ZodType ? [[status, { 'application/json': zod }]] : [],
  );
  if (route.config.gives) media.push(['200', route.config.gives]);
  for (const [status, types] of media) {
    const isSuccess = status.startsWith('2');
    const recorded = isSuccess ? recordedResponse(operationId) : undefined;
    responses[status] = {
      description: isSuccess ? returns : 'Not ready. Retry after the Retry-After delay.',
      headers: headersOf(route, Number(status)),
      content: contentOf(schemas, types, recorded?.type, recorded?.body),
    };
  }
  if (route.schema?.responseHeaders?.includes('ETag')) {
    responses['304'] = { description: 'The content has the ETag of `If-None-Match`.', headers: headersOf(route, 304) };
  }
  for (const [status, codes] of errorsOf(route)) responses[status] ??= errorResponse(route, status, codes);
  return responses;
}

function errorResponse(route: TableRoute, status: number, codes: ErrorCode[]): Response {
  const error = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
  };
  const schema = status === 429 ? { $ref: '#/components/schemas/RateLimited' } : error;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code]}`).join('\n\n'),
    headers: headersOf(route, status),
    content: { 'application/json': { schema } },
  };
}

function headersOf(route: TableRoute, status: number): Record<string, object> {
  // Node's HTTP parser responds before any hook.
  if (status === STATUS.HEADERS_TOO_LARGE) return {};
  const audience = audienceOf(route);
  const names: Header[] = ['X-Request-Id'];
  if (audience !== 'service') names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (status < 300) names.push(...(route.schema?.responseHeaders ?? []));
  if (status === 401) names.push('WWW-Authenticate');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Recorded responses of the example requests. Generated and verified by test/contract/openapi.test.ts; do not edit. */
export const RECORDED_FILE = join(import.meta.dirname, 'recorded-responses.json');

const Recorded = z.record(z.string(), z.object({ type: z.string(), body: z.unknown() }));
const recorded = Recorded.parse(JSON.parse(readFileSync(RECORDED_FILE, 'utf8')));

/** The response of an operation; undefined if it is too long or varies too much. `type` is its media type. */
function recordedResponse(operationId: string): { type: string; body?: unknown } | undefined {
  return recorded[operationId];
}
