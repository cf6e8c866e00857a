import type { FastifyInstance, FastifySchema, FastifyContextConfig } from 'fastify';

/** A registered route. The API reference and the contract tests read these. */
export interface TableRoute {
  method: string;
  /** full path, with parameters as `:id` */
  url: string;
  config: FastifyContextConfig;
  schema: FastifySchema | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** the routes of the API in order, without pages and without the HEAD routes that Fastify adds */
    routeTable: readonly TableRoute[];
    /** Returns the methods that a path has, in order; empty if it does not exist. */
    allowedMethods(path: string): string[];
  }
}

/** Collects routes registered after this call. */
export function collectRoutes(app: FastifyInstance): void {
  const table: TableRoute[] = [];
  const segments = new Map<string, { pattern: string[]; methods: Set<string> }>();
  app.decorate('routeTable', table);
  app.decorate('allowedMethods', (path: string) => {
    const parts = path.split('/');
    const found = [...segments.values()].filter(({ pattern }) => isMatch(pattern, parts));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
  });
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const entry = segments.get(url) ?? { pattern: url.split('/'), methods: new Set() };
    segments.set(url, entry);
    for (const one of [method].flat()) entry.methods.add(one);
    if (config?.isPage) return;
    for (const one of [method].flat()) {
      if (one !== 'HEAD') table.push({ method: one, url, config: config ?? {}, schema });
    }
  });
}

/** A segment `:name` of a pattern matches any text that is not empty. */
function isMatch(pattern: string[], parts: string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((segment, at) => (segment.startsWith(':') ? parts[at] !== '' : segment === parts[at]))
  );
}
