import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { listOf, queryObject } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { splitTarget } from '../../../resolver/spelling/canonical-path.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { suggestedFields, suggestionFields } from '../../resources/suggestion-wire.ts';
import { environment, urlParams } from './url-wire.ts';

const MAX_SUGGESTIONS = 3;
/** The longest wait for the index of a website. */
const WAIT_MS = 500;

export const SuggestedPages = z.object({
  ...suggestedFields,
  suggestions: listOf('Up to three pages that the path may have become, best first.', suggestionFields),
  pending: z.boolean().describe('true: the suggestions are not ready; ask again in some seconds.'),
});

/** GET /websites/{id}/suggestions. */
export function suggestionRoute(api: Api, { jobs }: SurfaceDeps): void {
  api.get('/websites/:id/suggestions', {
    config: { forDashboard: true },
    tag: 'URLs (key API)',
    operationId: 'suggestTargetsV1',
    summary: 'Suggest targets for a path',
    description:
      'Suggests living pages, or without a list of them targets of live redirects, as the list of unmatched paths does.',
    returns: 'The pages.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { path: { id: '1' }, query: { path: '/products/oak-lamp' } },
    params: urlParams,
    querystring: queryObject({
      path: z.string().min(1).max(8_192).describe('A path on the website, without a redirect.'),
      environment,
    }),
    response: { 200: SuggestedPages },
    async handler({ actor, params, query }) {
      const { path } = splitTarget(query.path);
      const input = { websiteId: keyDialect.websiteId.read(params.id), environment: query.environment };
      const { isPending, suggested } = await jobs.suggestTargets(actor, { ...input, urls: [path], waitMs: WAIT_MS });
      const [{ suggested: kind, confidence, suggestions } = { suggested: null, confidence: null, suggestions: [] }] =
        suggested;
      const shown = kind === 'redirect' ? suggestions.slice(0, MAX_SUGGESTIONS) : [];
      return { suggested: kind, confidence, suggestions: shown, pending: isPending };
    },
  });
}
