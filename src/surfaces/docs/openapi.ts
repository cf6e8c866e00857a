/** The OpenAPI 3.1 document, from the routes as they are registered. */
import type { TableRoute } from '../../http/route-table.ts';
import { COMPONENT_HEADERS, ERROR_SCHEMAS, INTRODUCTION } from './document-parts.ts';
import { type Operation, operationOf } from './operation.ts';
import { TAGS } from './operation-text.ts';
import { OPERATIONS } from './operations.ts';
import { createSchemaBook, type Schema } from './schema-book.ts';

export interface OpenApiOptions {
  /** address of the service, without a slash at its end */
  publicUrl: string;
  /** name of the session cookie */
  cookieName: string;
  version: string;
}

export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; summary: string; version: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: object; securitySchemes: object };
}

/**
 * The document of these routes, made one route a step, since all of it at once would hold up everybody else: it is returned when the
 * generator is done. A route without a text is left out, and a test names it.
 */
export function* openApiSteps(
  routes: readonly TableRoute[],
  options: OpenApiOptions,
): Generator<void, OpenApi> {
  const book = createSchemaBook();
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    const text = OPERATIONS[`${route.method} ${route.url}`];
    if (!text) continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, text, book, options);
    yield;
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
    components: {
      schemas: { ...ERROR_SCHEMAS, ...Object.fromEntries([...book.named].toSorted(byName)) },
      headers: COMPONENT_HEADERS,
      securitySchemes: securitySchemes(options.cookieName),
    },
  };
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

function securitySchemes(cookieName: string): Record<string, object> {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key (`dtr_...`). Needs the plan pro, business or enterprise.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName,
      description:
        'The cookie that signing in sets. A browser must send changes from a page of the service itself.',
    },
  };
}
