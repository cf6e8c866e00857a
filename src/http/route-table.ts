import type { FastifyInstance, FastifySchema, FastifyContextConfig } from 'fastify';

/** One route as it was registered; the API reference and the contract tests are made from these. */
export interface TableRoute {
  method: string;
  /** full path with `:id` for its parameters */
  url: string;
  config: FastifyContextConfig;
  schema: FastifySchema | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** every route of the API, in order; pages for people and the HEAD routes that Fastify adds to GET are left out */
    routeTable: readonly TableRoute[];
  }
}

/** Collects the routes that are registered from now on. */
export function collectRoutes(app: FastifyInstance): void {
  const table: TableRoute[] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    if (config?.isPage) return;
    for (const one of [method].flat()) {
      if (one !== 'HEAD') table.push({ method: one, url, config: config ?? {}, schema });
    }
  });
}
