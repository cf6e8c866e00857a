import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { countRedirects } from '../../redirects/list/find.ts';
import { requireWebsite } from '../../websites/website.ts';
import { filterOf, filterParameters } from './redirect-query.ts';

/** GET /api/redirects/count: how many a filter means, before somebody changes or deletes them all. */
export function countRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/redirects/count',
    {
      config: { role: 'viewer' },
      schema: {
        querystring: queryObject(filterParameters),
        response: { 200: z.object({ count: z.int() }) },
      },
    },
    async ({ actor, query }) => {
      const filter = filterOf(query);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      return { count: await countRedirects(db, actor, filter) };
    },
  );
}
