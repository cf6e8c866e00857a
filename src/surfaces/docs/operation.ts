/** One operation of the document, from its route and its text. */
import { z } from 'zod';
import type { TableRoute } from '../../http/route-table.ts';
import { ERROR_CODES, type ErrorCode } from '../../vocabulary/error.ts';
import { curlOf } from './curl.ts';
import { headersOf, shownCodes } from './document-parts.ts';
import { type AnswerExample, exampleOf } from './examples.ts';
import { audienceOf, errorsOf, needsBody } from './operation-errors.ts';
import type { OperationText } from './operation-text.ts';
import type { Schema, SchemaBook } from './schema-book.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface MediaType {
  schema: Schema;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

export function operationOf(
  route: TableRoute,
  text: OperationText,
  book: SchemaBook,
  options: { publicUrl: string },
): Operation {
  const parameters = [
    ...parametersOf(route, text, book, 'path'),
    ...parametersOf(route, text, book, 'query'),
  ];
  const body = bodyOf(route, text, book);
  return {
    operationId: text.id,
    tags: [text.tag],
    summary: text.summary,
    ...(text.text !== undefined && { description: text.text }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responsesOf(route, text, book),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(route, text, options) }],
  };
}

function securityOf({ url, config }: TableRoute): Operation['security'] {
  const audience = audienceOf(url);
  if (config.public || audience === 'service') return [];
  return audience === 'key' ? [{ apiKey: [] }] : [{ session: [] }];
}

function parametersOf(
  route: TableRoute,
  text: OperationText,
  book: SchemaBook,
  place: 'path' | 'query',
): Parameter[] {
  const schema = place === 'path' ? route.schema?.params : route.schema?.querystring;
  if (!(schema instanceof z.ZodType)) return [];
  const { properties = {}, required = [] } = book.write(schema, text.id);
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...rest } = typeof field === 'object' ? field : {};
    const example = text.example?.[place]?.[name];
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
      ...(example !== undefined && { example }),
    };
  });
}

function bodyOf(route: TableRoute, text: OperationText, book: SchemaBook): Operation['requestBody'] {
  const { takes } = route.config;
  const { body } = route.schema ?? {};
  if (takes) return { required: true, content: mediaOf(takes, text.id, book, requestExample(text)) };
  if (!(body instanceof z.ZodType)) return undefined;
  const content = mediaOf({ 'application/json': body }, text.id, book, requestExample(text));
  return { required: needsBody(route, text), content };
}

function requestExample({ example }: OperationText): AnswerExample | undefined {
  return example?.body === undefined ? undefined : { type: 'application/json', body: example.body };
}

function mediaOf(
  media: Readonly<Record<string, z.ZodType>>,
  name: string,
  book: SchemaBook,
  example: AnswerExample | undefined,
): Record<string, MediaType> {
  const entries = Object.entries(media).map(([type, schema]): [string, MediaType] => {
    const written = book.write(schema, name);
    const shown = example?.type === type ? { example: example.body } : {};
    return [type, { schema: type === 'application/x-ndjson' ? linesOf(written) : written, ...shown }];
  });
  return Object.fromEntries(entries);
}

/** OpenAPI 3.1 has no word for a body of many lines. */
function linesOf(line: Schema): Schema {
  const name = line.$ref?.split('/').at(-1) ?? 'object';
  return { type: 'string', description: `One ${name} a line, each a JSON object.`, 'x-line-schema': line };
}

function responsesOf(route: TableRoute, text: OperationText, book: SchemaBook): Operation['responses'] {
  const { response } = route.schema ?? {};
  const responses: Operation['responses'] = {};
  const example = exampleOf(text.id);
  for (const [status, schema] of Object.entries(response ?? {})) {
    if (!(schema instanceof z.ZodType)) continue;
    const isSuccess = status.startsWith('2');
    const media = { 'application/json': schema };
    responses[status] = {
      description: isSuccess ? text.answer : 'Not now; `Retry-After` says when to ask again.',
      headers: headersOf(route, text, Number(status)),
      content: mediaOf(media, text.id, book, isSuccess ? example : undefined),
    };
  }
  if (route.config.gives) {
    const content = mediaOf(route.config.gives, text.id, book, example);
    responses['200'] = { description: text.answer, headers: headersOf(route, text, 200), content };
  }
  for (const [status, codes] of errorsOf(route, text)) {
    responses[status] = errorAnswer(route, text, status, codes);
  }
  return responses;
}

function errorAnswer(route: TableRoute, text: OperationText, status: number, codes: ErrorCode[]): Answer {
  const said = codes.map((code) => `\`${code}\`: ${ERROR_CODES[code]}`).join('\n\n');
  return {
    description: said,
    headers: headersOf(route, text, status),
    content: { 'application/json': { schema: shownCodes(status, codes) } },
  };
}
