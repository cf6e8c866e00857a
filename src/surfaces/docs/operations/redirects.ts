import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { OperationTexts } from '../operation-text.ts';

/** What one rule can be refused for; with several reasons the code is VALIDATION_ERROR, and `issues` has each. */
const RULE: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'INVALID_REGEX',
  'TOO_MANY_PATTERNS',
  'REDIRECT_LOOP',
  'BUSY',
];

const SELECTION =
  'Which redirects: `redirectIds` (1 to 10,000), or a `filter` with at least one parameter. Either all are changed or none; ids of other accounts are ignored.';

export const REDIRECT_TEXTS: OperationTexts = {
  'GET /api/redirects': {
    id: 'listRedirects',
    tag: 'Redirects',
    summary: 'List redirects',
    text: 'All that match, streamed, newest first; with `limit` or `cursor` a page and `next_cursor`. The parameters about hits need a plan with analytics; with any of them each redirect also has `last_hit_at` and `hits`.',
    answer: 'The redirects.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED'],
    example: { query: { website_id: 1, q: 'old', limit: 2 } },
  },
  'POST /api/redirects': {
    id: 'createRedirect',
    tag: 'Redirects',
    summary: 'Create a redirect',
    text: 'The path must be new in its website: a second one is 409.',
    answer: 'The redirect.',
    errors: ['WEBSITE_NOT_FOUND', 'CONFLICT', ...RULE],
    example: {
      body: {
        website_id: 1,
        old_path: '/spring-sale',
        new_path: '/offers/spring',
        status_code: 302,
        group_id: 'campaigns',
        target_environments: 'production,staging',
      },
    },
  },
  'GET /api/redirects/count': {
    id: 'countRedirects',
    tag: 'Redirects',
    summary: 'Count redirects',
    text: 'Takes the filters of the list: how many a bulk call with the same filter would touch.',
    answer: 'How many match.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED'],
    example: { query: { website_id: 1, group: 'demo' } },
  },
  'GET /api/redirects/:id': {
    id: 'getRedirect',
    tag: 'Redirects',
    summary: 'Show a redirect',
    answer: 'The redirect.',
    errors: ['REDIRECT_NOT_FOUND'],
    example: { path: { id: 1 } },
  },
  'PUT /api/redirects/:id': {
    id: 'updateRedirect',
    tag: 'Redirects',
    summary: 'Change a redirect',
    text: 'Fields that are left out stay as they are. `website_id` cannot be changed.',
    answer: 'The id, the fields that were sent, and `updated_at`.',
    needsBody: true,
    errors: ['REDIRECT_NOT_FOUND', 'CONFLICT', ...RULE],
    example: { path: { id: 2 }, body: { new_path: '/offers/autumn', status_code: 301 } },
  },
  'DELETE /api/redirects/:id': {
    id: 'deleteRedirect',
    tag: 'Redirects',
    summary: 'Delete a redirect',
    answer: 'The redirect is deleted; a restore takes that back for 24 hours.',
    errors: ['REDIRECT_NOT_FOUND', 'BUSY'],
    example: { path: { id: 4 } },
  },
  'POST /api/redirects/bulk-update': {
    id: 'updateRedirects',
    tag: 'Redirects',
    summary: 'Change many redirects',
    text: SELECTION,
    answer: 'How many were changed.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS', ...RULE],
    example: { body: { redirectIds: [1, 2], updates: { group_id: 'evergreen', notes: 'kept for good' } } },
  },
  'DELETE /api/redirects/bulk-delete': {
    id: 'deleteRedirects',
    tag: 'Redirects',
    summary: 'Delete many redirects',
    text: SELECTION,
    answer: 'How many were deleted.',
    needsBody: true,
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: { body: { filter: { website_id: 1, group: 'campaigns' } } },
  },
  'POST /api/redirects/restore': {
    id: 'restoreRedirect',
    tag: 'Redirects',
    summary: 'Take back a change or deletion',
    text: 'Of one redirect, within 24 hours: it is again what it was before the event, with its id and times. The event is one of the [activity](#listEvents).',
    answer: 'The redirect as it was.',
    errors: ['WEBSITE_NOT_FOUND', 'EVENT_NOT_FOUND', 'CONFLICT', ...RULE],
    example: { body: { website_id: 1, event_id: EXAMPLE_IDS.event } },
  },
  'POST /api/redirects/check': {
    id: 'checkRedirect',
    tag: 'Redirects',
    summary: 'Check a redirect before it is written',
    text: 'What a creation would refuse, or with `id` a change of that redirect, which keeps the fields that are left out; and where visitors would be led if it were live. Stores nothing. Meant to be asked while somebody types.',
    answer: 'What is wrong with it, and what it would do.',
    errors: ['WEBSITE_NOT_FOUND', 'REDIRECT_NOT_FOUND', 'VALIDATION_ERROR'],
    example: {
      body: {
        website_id: 1,
        old_path: '/docs/v(\\d+)/(.*)',
        new_path: '/manual/$2?version=$1',
        is_regex: true,
        try_path: '/docs/v2/install',
      },
    },
  },
  'POST /api/redirects/test': {
    id: 'testAddress',
    tag: 'Redirects',
    summary: 'Try what an address leads to',
    text: 'By the rules that are live, with the engine that answers visitors. Changes nothing and counts no hit.',
    answer: 'The rule that wins, those that it beats, and every hop to the end.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { body: { website_id: 1, url: '/blog/2024/hello?ref=news' } },
  },
};
