import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/zod.ts';
import { listWebsites } from '../../websites/website.ts';
import { WebsiteBody, websiteBody } from './wire.ts';

/** GET /api/v1/websites. */
export function websiteRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/websites',
    { schema: { response: { 200: z.object({ websites: z.array(WebsiteBody) }) } } },
    async ({ actor }) => ({ websites: (await listWebsites(db, actor)).map(websiteBody) }),
  );
}
