import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { nextCursor, pageParameters, queryObject, searchText, staleness, component } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { listGroups } from '../../redirects/list/groups.ts';
import type { Dialect } from './dialect.ts';

const Group = component('Group', {
  group_id: z.string().describe('The group.'),
  redirect_count: z.int().describe('Redirects of the group.'),
});

/** The body of GET /websites/{id}/groups. */
export const GroupList = z.object({ groups: z.array(Group).describe('The groups.'), next_cursor: nextCursor });

const DEFAULT_LIMIT = 100;

export function groupRoute(app: Api, { reads }: SurfaceDeps, dialect: Dialect): void {
  const { path, read } = dialect.websiteId;
  app.get('/websites/:id/groups', {
    ...dialect.operation('listGroups', 'redirects'),
    summary: 'List groups',
    description:
      'Groups that have redirects, the largest first. With `q`, the group of exactly this name comes first, then those that begin with the text.',
    returns: 'The groups with their numbers of redirects.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: dialect.writeId(1) }, query: { q: 'de', limit: 2 } },
    params: z.object({ id: path }),
    querystring: queryObject({
      q: searchText
        .max(200)
        .optional()
        .describe('Only groups with this text in their name, ignoring case; at most 200 characters.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: GroupList },
    async handler({ actor, params, query }) {
      const { limit = DEFAULT_LIMIT, cursor } = query;
      const q = query.q === '' ? undefined : query.q;
      const page = { websiteId: read(params.id), q, limit, cursor };
      const { groups, nextCursor: next } = await reads.read(query.maxStaleness, (db) => listGroups(db, actor, page));
      return {
        groups: groups.map(({ groupId, redirects }) => ({ groupId, redirectCount: redirects })),
        nextCursor: next,
      };
    },
  });
}
