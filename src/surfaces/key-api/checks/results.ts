import { z } from 'zod';
import { listHistory, listResults } from '../../../checks/list-checks.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  component,
  EnvironmentName,
  listOf,
  nextCursor,
  pageParameters,
  queryBoolean,
  queryObject,
  staleness,
  Timestamp,
} from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { CHECK_STATES } from '../../../vocabulary/checks.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { CHECK, checkParams, checkPlace, CHECKS, examplePath, newCheck, websiteParams } from './check-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

const state = z.enum(CHECK_STATES);
const nullable = (text: string) => z.string().nullable().describe(text);

export const Result = component('CheckResult', {
  url: z.string().describe('The requested URL.'),
  weight: z.number().describe('Hits by humans in 30 days; of a living URL its weight.'),
  state: state.nullable().describe('docs/checks.md explains the states; null: not requested yet.'),
  confirmed: z.boolean().describe('False: an error that is tried again, or no state yet.'),
  reason: nullable('Why, such as `dns` or `http_404`.'),
  before: state.nullable().describe('The state that the last check of its kind confirmed.'),
  is_newly_broken: z.boolean().describe('True if it is broken, and was not before.'),
  status: z.int().nullable().describe('The status of the first response.'),
  location: nullable('Its Location.'),
  end_url: nullable('Where its redirects end.'),
  note: nullable('`host_answers_everything`: the host answers any path like this one.'),
  expected_status: z.int().nullable().describe('Of the kind `sources`: the status that the redirect gives.'),
  expected_location: nullable('Of the kind `sources`: its Location.'),
  checked_at: Timestamp.nullable().describe('When it was last requested.'),
  redirects: listOf('The first 20 redirects concerned.', {
    id: keyDialect.id.describe('The id.'),
    old_path: z.string().describe('The path.'),
    new_path: nullable('The target now.'),
  }),
  redirect_count: z.int().describe('How many redirects the target concerned when the check was created.'),
});

export const Entry = component('CheckHistoryEntry', {
  check_id: z.string().describe('The id of the check.'),
  kind: newCheck.kind,
  environment: EnvironmentName.describe('The environment.'),
  state: state.describe('The state that it found.'),
  reason: Result.shape.reason,
  status: Result.shape.status,
  end_url: Result.shape.end_url,
  confirmed: z.boolean().describe('False: an error that is tried again.'),
  checked_at: Timestamp.describe('When it was requested.'),
});

/** GET /checks/{check_id}/results, /checks/history. */
export function checkResultRoutes(api: Api, { reads }: SurfaceDeps): void {
  api.get(`${CHECKS}/history`, {
    config: { forDashboard: true },
    tag: 'Checks (key API)',
    params: websiteParams,
    operationId: 'listCheckHistoryV1',
    summary: 'List the history of a target',
    returns: 'A page of what the checks of 90 days found at a URL, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' }, query: { url: 'https://www.example.com/sale' } },
    querystring: queryObject({
      url: z.string().describe('The URL, exactly as results list it.'),
      ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: z.object({ history: z.array(Entry).describe('The results.'), next_cursor: nextCursor }) },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, maxStaleness, ...query } }) {
      const page = { websiteId: keyDialect.websiteId.read(params.id), limit, ...query };
      const { history, nextCursor: next } = await reads.read(maxStaleness, (from) => listHistory(from, actor, page));
      return { history: history.map((e) => ({ ...e, checkedAt: new Date(e.checkedAt) })), nextCursor: next };
    },
  });

  api.get(`${CHECK}/results`, {
    config: { forDashboard: true },
    tag: 'Checks (key API)',
    params: checkParams,
    operationId: 'listCheckResultsV1',
    summary: 'List results of a check',
    returns: 'A page of targets, the heaviest first.',
    errors: ['CHECK_NOT_FOUND', 'WEBSITE_NOT_FOUND'],
    example: { path: examplePath, query: { limit: 10 } },
    querystring: queryObject({
      state: state.optional().describe('Only targets with this state.'),
      is_newly_broken: queryBoolean.optional().describe('true: only those that are newly broken.'),
      ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: z.object({ results: z.array(Result).describe('The results.'), next_cursor: nextCursor }) },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, maxStaleness, ...query } }) {
      const page = { ...checkPlace(params), limit, ...query };
      const { results, nextCursor: next } = await reads.read(maxStaleness, (from) => listResults(from, actor, page));
      const shown = results.map((result) => ({
        ...result,
        checkedAt: result.checkedAt === null ? null : new Date(result.checkedAt),
      }));
      return { results: shown, nextCursor: next };
    },
  });
}
