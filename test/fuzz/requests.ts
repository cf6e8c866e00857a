/** Requests for an operation of the OpenAPI document. */
import type { OpenApi } from '../../src/surfaces/docs/openapi.ts';
import type { Schema } from '../../src/surfaces/docs/json-schema.ts';
import type { Method } from '../support/app.ts';
import type { Placed } from '../surfaces/docs/document.ts';
import { type Hostility, pick, type Random, type ValueContext, valueFor } from './values.ts';

export interface FuzzRequest {
  operationId: string;
  method: Method;
  url: string;
  headers: Record<string, string>;
  payload?: string;
}

const BOUNDARY = 'fuzz-boundary';

/** Creates a generator of requests for the operations of a document. */
export function createRequests(document: OpenApi, random: Random) {
  const schemaOf = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  return ({ method, path, operation }: Placed, ids: ValueContext['ids'], mark: string): FuzzRequest => {
    const hostility: Hostility = pick(random, [0, 0, 0.1, 0.5]);
    const context: ValueContext = { random, hostility, schemaOf, ids, mark };
    const parameters = operation.parameters ?? [];
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
      return pathText(valueFor(context, schema, name, 1));
    });
    const query = new URLSearchParams();
    for (const { name, in: place, required, schema } of parameters) {
      // A feed holds a request with `wait` for up to a minute.
      if (name === 'wait') continue;
      if (place !== 'query' || random() > (required ? 1 - hostility / 3 : 0.3)) continue;
      query.append(name, plainText(valueFor(context, schema, name, 1)));
    }
    if (random() < hostility / 4) query.append(pick(random, ['unknown', '__proto__', 'limit']), 'x');
    const target = query.size > 0 ? `${url}?${query.toString()}` : url;
    const { type, payload } = bodyOf(context, operation.requestBody?.content ?? {});
    const headers = type === undefined ? {} : { 'content-type': type };
    const { operationId } = operation;
    return { operationId, method: method as Method, url: target, headers, ...(payload !== undefined && { payload }) };
  };
}

/** Never empty or a dot segment, which are other paths. */
function pathText(value: unknown): string {
  const text = encodeURIComponent(plainText(value));
  return /^(\.|%2e)*$/i.test(text) ? '0' : text;
}

/** Without lone surrogates, which a URL cannot have. */
function plainText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}

type Content = NonNullable<Placed['operation']['requestBody']>['content'];

function bodyOf(context: ValueContext, content: Content): { type?: string; payload?: string } {
  const { random, hostility } = context;
  const types = Object.keys(content);
  // Ignored by an operation that takes none.
  if (types.length === 0) return random() < hostility / 5 ? { type: 'application/json', payload: '{' } : {};
  const type = pick(random, types);
  const schema = content[type]?.schema ?? {};
  if (random() < hostility / 5) return { type: 'text/plain', payload: 'x' };
  if (random() < hostility / 5) return { type, payload: pick(random, ['', '{', '[]', 'null', '"x"', '{"a":1,"a":2}']) };
  if (type === 'multipart/form-data') return formOf(context, schema);
  if (type !== 'application/x-ndjson') return { type, payload: JSON.stringify(valueFor(context, schema)) };
  const line = 'x-line-schema' in schema ? (schema['x-line-schema'] as Schema) : {};
  const lines = Array.from({ length: 3 }, () => JSON.stringify(valueFor(context, line)));
  return { type, payload: lines.join('\n') };
}

const FILES = [
  'old_path,new_path\n/a,/b\n/b,/a\n',
  'from;to;code\n/x;/y;301\n/z;;410\n',
  '/a,/b,301\n',
  'old_path,new_path,is_regex\n/p/(.*),/p/x/$1,true\n',
  '"/a,/b',
  '\u0000\u0001',
  '',
];

function formOf(context: ValueContext, schema: Schema): { type: string; payload: string } {
  const fields = valueFor({ ...context, hostility: context.hostility === 0.5 ? 0.1 : context.hostility }, schema);
  const parts = Object.entries(typeof fields === 'object' && fields !== null ? fields : {})
    .filter(([name]) => name !== 'file')
    .map(([name, value]) => [`name="${name.replaceAll('"', '')}"`, plainText(value)]);
  parts.push(['name="file"; filename="rules.csv"\r\nContent-Type: text/csv', pick(context.random, FILES)]);
  const body = parts.map(
    ([head, text]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`,
  );
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, payload: `${body.join('')}--${BOUNDARY}--\r\n` };
}
