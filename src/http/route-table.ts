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
  }
}

/** Collects routes registered after this call. */
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
