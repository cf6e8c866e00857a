import { z } from 'zod';
import { type ExistingRedirect, findExistingRedirects } from '../../analytics/existing-redirects.ts';
import {
  type MissingPath,
  exportMissingPaths,
  MISSING_PATH_AGENTS,
  MISSING_PATH_SORTS,
  ignorePaths,
  listMissingPaths,
  servedPaths,
} from '../../analytics/not-found.ts';
import {
  EnvironmentName,
  nextCursor,
  pageParameters,
  Timestamp,
  bodyObject,
  queryBoolean,
  queryObject,
  searchText,
  staleness,
  component,
  listOf,
  part,
} from '../../http/wire/fields.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/wire/zod.ts';
import type { Suggested } from '../../suggestions/suggest.ts';
import { DomainError, wrongParameter } from '../../vocabulary/error.ts';
import type { Dialect, Wire } from './dialect.ts';
import { windowFields } from './redirects/wire.ts';
import { suggestedFields, suggestionFields } from './suggestion-wire.ts';

const assistantHits = z.int().describe('Hits by assistants on behalf of a person, by name, not verified.');

const missingPathSchema = <W extends Wire>({ id, named, environments }: Dialect<W>) =>
  component(named('MissingPath'), {
    path: z.string().describe('The canonical path, without query.'),
    hits: z.int().describe('Hits by humans.'),
    bot_hits: z.int().describe('Hits by known bots.'),
    assistant_hits: assistantHits,
    first_seen_at: Timestamp.describe('When it was first requested.'),
    last_seen_at: Timestamp.describe('When it was last requested.'),
    referrer_host: z.string().nullable().describe('The host of the referring page; null if unknown.'),
    noise: z.boolean().describe('Whether scanners request this path from any website.'),
    ...suggestedFields,
    suggestions: listOf('Up to three pages that the path may have become, best first.', {
      ...suggestionFields,
      new_path: z.string().describe('The same as `target`.'),
      similarity: z.number().describe('The same as `score`.'),
    }),
    redirect: part('The redirect of this path, which is not live in this environment. Null if none exists.', {
      id: id.describe('Its id.'),
      new_path: z.string().nullable().describe('Its target.'),
      status_code: z.int().describe('Its status.'),
      ...windowFields,
      target_environments: environments.output,
    }).nullable(),
  });
export const missingPathList = <W extends Wire>(dialect: Dialect<W>) =>
  z.object({
    paths: z.array(missingPathSchema(dialect)).describe('The paths.'),
    pending: z.boolean().describe('true: the suggestions are not ready; ask again in some seconds.'),
    next_cursor: nextCursor,
    other: part('Requests counted without their path, because there were too many paths.', {
      hits: z.int().describe('Hits by humans.'),
      bot_hits: z.int().describe('Hits by known bots.'),
      assistant_hits: assistantHits,
    }),
  });

const UNKNOWN: Suggested = { suggested: null, confidence: null, reasons: [], suggestions: [] };
const MAX_SUGGESTIONS = 3;
/** The longest wait for the index of a website. */
const SUGGEST_WAIT_MS = 500;

function missingPathBody(found: MissingPath, suggested: Suggested = UNKNOWN, existing: ExistingRedirect | undefined) {
  const { confidence, suggestions } = suggested;
  const shown = suggested.suggested === 'redirect' ? suggestions.slice(0, MAX_SUGGESTIONS) : [];
  return {
    ...found,
    suggested: suggested.suggested,
    confidence,
    suggestions: shown.map((each) => ({ ...each, newPath: each.target, similarity: each.score })),
    redirect: existing ? { ...existing, targetEnvironments: existing.environments } : null,
  };
}

const DEFAULT_LIMIT = 50;
const MAX_PATHS = 1_000;

const Ignored = z.object({
  ignored: z.int().describe('The number of paths changed.'),
  message: z.string().describe('A human-readable summary.'),
});

/** GET /websites/{id}/not-found, POST .../not-found/ignore: requested paths that no redirect matched. */
export function notFoundRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db, reads, clock, jobs, rulesets } = deps;
  const { path, read } = dialect.websiteId;
  const List = missingPathList(dialect);
  const Params = z.object({ id: path });
  app.get('/websites/:id/not-found', {
    config: {
      ...{ role: 'viewer', feature: 'analytics', reads: true },
      gives: { 'application/json': List, 'text/csv': z.string() },
    },
    ...dialect.operation('listPathsNotFound', 'notFound'),
    summary: 'List paths that no redirect matched',
    description:
      'Paths that scanners request from any website (`noise`) come last. Paths that a live redirect matches by now are omitted. As CSV, the response is the whole list, without suggestions.',
    returns: 'The paths in the order of `sort`.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { path: { id: dialect.writeId(1) }, query: { limit: 2 } },
    params: Params,
    querystring: queryObject({
      environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
      noise: queryBoolean.optional().describe('true: only paths that scanners request; false: none of them.'),
      q: searchText.optional().describe('Only paths that contain this text. Case is ignored.'),
      sort: z
        .enum(MISSING_PATH_SORTS)
        .optional()
        .describe(
          'Most hits by humans first (default), most hits by assistants or most recently requested first, or by path.',
        ),
      agents: z
        .enum(MISSING_PATH_AGENTS)
        .optional()
        .describe('Only paths that humans, known bots or assistants have requested. Default: any of them.'),
      since: Timestamp.optional().describe('Only paths that were first requested then or later.'),
      format: z.enum(['json', 'csv']).default('json').describe('`json` (default), or `csv` for the whole list.'),
      ignored: queryBoolean.default(false).describe('true: only ignored paths. Default false.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: List },
    async handler({ actor, params, query }, reply) {
      const { environment, noise, ignored, since, q, agents, sort, format, limit, cursor, maxStaleness } = query;
      const websiteId = read(params.id);
      const filter = { websiteId, environment, noise, ignored, since, q, agents, sort };
      const live = rulesets.live(websiteId, environment);
      // Ignored paths are listed completely, so that they can be found again.
      const isServed = live && !ignored ? servedPaths(live, clock.now()) : undefined;
      if (format === 'csv') {
        for (const [name, value] of Object.entries({ limit, cursor }))
          if (value !== undefined) throw wrongParameter(name, 'applies to JSON; a CSV file has the whole list');
        void reply
          .type('text/csv; charset=utf-8')
          .header('Content-Disposition', `attachment; filename="website-${websiteId}-not-found.csv"`);
        const list = () =>
          reads.stream(maxStaleness, (streams) => exportMissingPaths(streams, actor, filter, isServed));
        return sendStream(reply, deps.streamShares.lists(actor), list);
      }
      const at = { limit: limit ?? DEFAULT_LIMIT, cursor, isServed };
      const page = await reads.read(maxStaleness, (from) => listMissingPaths(from, actor, filter, at));
      // No suggestions for paths that scanners request.
      const wanted = page.paths.filter((each) => !each.noise).map(({ path }) => path);
      const place = { websiteId, environment };
      const found = await jobs.suggestTargets(actor, { ...place, urls: wanted, waitMs: SUGGEST_WAIT_MS });
      const suggested = new Map(wanted.map((each, index) => [each, found.suggested[index]]));
      const existing = await findExistingRedirects(
        db,
        websiteId,
        page.paths.map(({ path }) => path),
      );
      return {
        ...page,
        pending: found.isPending,
        paths: page.paths.map((each) => missingPathBody(each, suggested.get(each.path), existing.get(each.path))),
      };
    },
  });

  app.post('/websites/:id/not-found/ignore', {
    config: { role: 'editor', feature: 'analytics' },
    ...dialect.operation('ignorePathsNotFound', 'notFound'),
    summary: 'Ignore paths',
    description:
      'Ignored paths are still counted, but listed only with `ignored=true`. Send `ignored: false` to stop ignoring them.',
    returns: 'The number of paths changed.',
    errors: ['WEBSITE_NOT_FOUND', 'TOO_MANY_ITEMS', 'VALIDATION_ERROR'],
    example: { path: { id: dialect.writeId(1) }, body: { paths: ['/favicon.ico'] } },
    params: Params,
    body: bodyObject({
      paths: z.array(searchText).describe('The paths, 1 to 1,000.'),
      environment: EnvironmentName.optional().describe('Only in this environment. Default: in all.'),
      ignored: z.boolean().optional().describe('false lists the paths again. Default true.'),
    }),
    response: { 200: Ignored },
    async handler({ actor, params, body }) {
      checkPaths(body.paths);
      const ignored = body.ignored ?? true;
      const input = { websiteId: read(params.id), environment: body.environment, paths: body.paths, ignored };
      const count = await ignorePaths(db, actor, input, clock.now());
      const paths = count === 1 ? '1 path is' : `${count} paths are`;
      return { ignored: count, message: `${paths} ${ignored ? 'no longer listed' : 'listed again'}` };
    },
  });
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
