import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/zod.ts';
import { listWebsites } from '../../websites/website.ts';
import { websiteBody } from './wire.ts';

/** GET /api/v1/websites. */
export function websiteRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get('/websites', async ({ actor }) => ({ websites: (await listWebsites(db, actor)).map(websiteBody) }));
}
