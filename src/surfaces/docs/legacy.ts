/** Documentation of routes and fields that is not yet in their own files. */
import type { TableRoute } from '../../http/route-table.ts';
import { fieldText } from './field-texts.ts';
import type { Schema } from './json-schema.ts';
import type { OpenApi } from './openapi.ts';
import { OPERATIONS } from './operations.ts';

export function withLegacyDocs(route: TableRoute): TableRoute {
  if (route.schema?.operationId !== undefined) return route;
  const text = OPERATIONS[`${route.method} ${route.url}`];
  if (!text) return route;
  const cookies = ['signUp', 'signIn', 'signOut'].includes(text.id);
  const files = ['exportRedirectsV1', 'getImportErrors'].includes(text.id);
  return {
    ...route,
    schema: {
      ...route.schema,
      operationId: text.id,
      tag: text.tag,
      summary: text.summary,
      ...(text.text !== undefined && { description: text.text }),
      returns: text.answer,
      ...(text.errors && { errors: text.errors }),
      ...(text.needsBody && { bodyRequired: true as const }),
      ...(text.example && { example: text.example }),
      ...(cookies && { responseHeaders: ['Set-Cookie'] as const }),
      ...(files && { responseHeaders: ['Content-Disposition'] as const }),
    },
  };
}

export function addLegacyTexts(document: OpenApi): OpenApi {
  for (const [name, schema] of Object.entries(document.components.schemas)) describe(schema, [name]);
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const id = operation.operationId;
    for (const parameter of operation.parameters ?? []) {
      const text = parameter.description ?? fieldText([id, parameter.name]);
      if (text !== undefined) parameter.description = text;
    }
    for (const media of [operation.requestBody, ...Object.values(operation.responses)]) {
      for (const { schema } of Object.values(media?.content ?? {})) describe(schema, [id]);
    }
  }
  return document;
}

function describe(schema: Schema | boolean, names: string[]): void {
  if (typeof schema !== 'object') return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (typeof field !== 'object') continue;
    const text = field.description ?? fieldText([...names, name]);
    if (text !== undefined) field.description = text;
    describe(field, [...names, name]);
  }
  const { items, additionalProperties, anyOf = [] } = schema;
  for (const part of [items, additionalProperties, ...anyOf]) describe(part as Schema, names);
}
