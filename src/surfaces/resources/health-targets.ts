import { z } from 'zod';
import { type BrokenTarget, brokenAmong, listBrokenTargets } from '../../health/broken-targets.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  component,
  EnvironmentName,
  listOf,
  nextCursor,
  pageParameters,
  queryObject,
  searchText,
  Timestamp,
} from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import type { Suggestion } from '../../suggestions/suggest.ts';
import { TARGET_STATES } from '../../vocabulary/checks.ts';
import { PLANS } from '../../vocabulary/plan.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { Dialect, Wire } from './dialect.ts';
import { suggestionFields } from './suggestion-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_SUGGESTIONS = 3;
/** The longest wait for the index of a website. */
const SUGGEST_WAIT_MS = 500;

/** A redirect with a broken target, as JSON. */
export const brokenTargetSchema = <W extends Wire>({ id, named }: Dialect<W>) =>
  component(named('BrokenTarget'), {
    redirect_id: id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path or pattern.'),
    new_path: z.string().describe('Its target.'),
    state: z.enum(TARGET_STATES).describe('`dead`, `error`, `loop` or `soft_404`.'),
    reason: z.string().nullable().describe('Why, such as `http_404`.'),
    checked_at: Timestamp.describe('When it was checked.'),
    hits: z
      .int()
      .nullable()
      .describe(
        'Human hits of the redirect in the environment in the 30 days (UTC) before today, or of today if the website has none before; null on plans without analytics.',
      ),
    suggestions: listOf(
      'Up to three other pages of the website that are not known as broken, best first; none for a target on another host.',
      suggestionFields,
    ),
  });

/** GET /websites/{id}/health/targets: redirects whose target is broken. */
export function healthTargetRoute(app: Api, { db, jobs, clock }: SurfaceDeps, dialect: Dialect): void {
  const { path, read } = dialect.websiteId;
  app.get('/websites/:id/health/targets', {
    config: { role: 'viewer' },
    ...dialect.operation('listBrokenTargets', 'health'),
    summary: 'List broken targets',
    description:
      'Redirects of the environment whose target was dead, a soft 404, a loop or a confirmed error in its last live check. Targets whose redirects have the most hits come first, then dead ones. If more than 10,000 are broken, hits do not order them.',
    returns: 'A page of redirects, with pages that may replace their targets.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { path: { id: dialect.writeId(1) }, query: { limit: 10 } },
    params: z.object({ id: path }),
    querystring: queryObject({
      environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
      target: searchText.optional().describe('Only redirects with exactly this target.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
    }),
    response: {
      200: z.object({
        targets: z.array(brokenTargetSchema(dialect)).describe('The redirects.'),
        pending: z.boolean().describe('true: the suggestions are not ready; ask again in some seconds.'),
        next_cursor: nextCursor,
      }),
    },
    async handler({ actor, params, query: { environment, target, limit = DEFAULT_LIMIT, cursor } }) {
      const place = { websiteId: read(params.id), environment, target };
      await requireWebsiteRow(db, actor, place.websiteId);
      const page = await listBrokenTargets(db, place, {
        limit,
        cursor,
        hasHits: PLANS[actor.plan].analytics,
        now: clock.now(),
      });
      const own = page.targets.map(({ newPath }) => newPath).filter((target) => target.startsWith('/'));
      const urls = [...new Set(own)];
      const found = await jobs.suggestTargets(actor, { ...place, urls, waitMs: SUGGEST_WAIT_MS, areBroken: true });
      const suggested = new Map(urls.map((url, index) => [url, found.suggested[index]?.suggestions ?? []]));
      const named = [...suggested.values()].flat().map(({ target }) => target);
      const broken = await brokenAmong(db, place.websiteId, named);
      const working = ({ newPath }: BrokenTarget) =>
        suggested.get(newPath)?.filter(({ target }) => !broken.has(target)) ?? [];
      return {
        targets: page.targets.map((each) => targetBody(each, working(each))),
        pending: found.isPending,
        nextCursor: page.nextCursor,
      };
    },
  });
}

function targetBody({ checkedAt, ...target }: BrokenTarget, suggestions: Suggestion[]) {
  return { ...target, checkedAt: new Date(checkedAt), suggestions: suggestions.slice(0, MAX_SUGGESTIONS) };
}
