import { z } from 'zod';
import { ignorePaths, listMissingPaths, servedPaths } from '../../analytics/not-found.ts';
import { suggestTargetsOnce } from '../../analytics/suggest-targets.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  EnvironmentName,
  bodyObject,
  pathId,
  queryBoolean,
  queryInteger,
  queryObject,
  searchText,
} from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { missingPathBody, MissingPathList } from './not-found-wire.ts';

const DEFAULT_LIMIT = 50;
const MAX_PATHS = 1_000;

const Params = z.object({ id: pathId('WEBSITE_NOT_FOUND', 'Website') });
const ListQuery = queryObject({
  environment: EnvironmentName.default('production'),
  noise: queryBoolean.optional(),
  ignored: queryBoolean.default(false),
  limit: queryInteger(1, 1_000).optional(),
  cursor: z.string().optional(),
});
const IgnoreBody = bodyObject({
  paths: z.array(searchText),
  environment: EnvironmentName.optional(),
  ignored: z.boolean().optional(),
});

const Ignored = z.object({ ignored: z.int(), message: z.string() });

/** GET /api/websites/{id}/not-found and POST .../not-found/ignore: the paths that nobody serves. */
export function notFoundRoutes(app: Api, { db, clock, rulesets }: SurfaceDeps): void {
  app.get(
    '/websites/:id/not-found',
    {
      config: { role: 'viewer', feature: 'analytics' },
      schema: { params: Params, querystring: ListQuery, response: { 200: MissingPathList } },
    },
    async ({ actor, params, query }) => {
      const { environment, noise, ignored, limit, cursor } = query;
      const filter = { websiteId: params.id, environment, noise, ignored };
      const live = rulesets.live(params.id, environment);
      // What was put aside is shown whole: what leads there is to be found again.
      const isServed = live && !ignored ? servedPaths(live) : undefined;
      const at = { limit: limit ?? DEFAULT_LIMIT, cursor, isServed };
      const page = await listMissingPaths(db, actor, filter, at);
      // Nobody makes a redirect for what scanners ask for.
      const wanted = page.paths.filter((each) => !each.noise).map(({ path }) => path);
      const suggested = live ? await suggestTargetsOnce(live.rules.ruleset, wanted) : undefined;
      return {
        paths: page.paths.map((each) => missingPathBody(each, suggested?.get(each.path) ?? [])),
        next_cursor: page.nextCursor,
        other: { hits: page.other.hits, bot_hits: page.other.botHits },
      };
    },
  );

  app.post(
    '/websites/:id/not-found/ignore',
    {
      config: { role: 'editor', feature: 'analytics' },
      schema: { params: Params, body: IgnoreBody, response: { 200: Ignored } },
    },
    async ({ actor, params, body }) => {
      checkPaths(body.paths);
      const ignored = body.ignored ?? true;
      const input = { websiteId: params.id, environment: body.environment, paths: body.paths, ignored };
      const count = await ignorePaths(db, actor, input, clock.now());
      const paths = count === 1 ? '1 path is' : `${count} paths are`;
      return { ignored: count, message: `${paths} ${ignored ? 'no longer listed' : 'listed again'}` };
    },
  );
}

function checkPaths(paths: string[]): void {
  if (paths.length === 0) {
    throw new DomainError('INVALID_PARAMETER', 'paths is empty', { details: 'paths: name 1 to 1,000 paths' });
  }
  if (paths.length <= MAX_PATHS) return;
  const message = `at most 1,000 paths in one call; this list has ${paths.length}`;
  throw new DomainError('TOO_MANY_ITEMS', 'Too many paths', {
    details: `paths: ${message}`,
    issues: [{ path: 'paths', code: 'TOO_MANY_ITEMS', message }],
  });
}
