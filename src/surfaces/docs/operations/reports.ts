import type { OperationTexts } from '../operation-text.ts';

export const REPORT_TEXTS: OperationTexts = {
  'GET /api/events': {
    id: 'listEvents',
    tag: 'Activity',
    summary: 'List events',
    text: 'All events, whether a webhook subscribes to them or not. `data` is what webhooks send; its JSON Schema is in the [event types](#listEventTypes).',
    answer: 'Events, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: 1, event: 'redirect.deleted', limit: 1 } },
  },
  'GET /api/v1/analytics': {
    id: 'getAnalyticsV1',
    tag: 'Redirect analytics',
    summary: 'Report on a website’s redirects',
    text: '`time_series` has one entry for every period of the range, oldest first, zeros included; everything else is of now. At most 3,660 days.',
    answer: 'Exact counts.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', start_date: '2026-11-20', end_date: '2026-11-21' } },
  },
  ...hits('/api/v1/analytics', ''),
  ...hits('/v1/analytics', 'Alias'),
};

/** The specification leaves the prefix of these open, so that they stand under both. */
function hits(at: string, suffix: string): OperationTexts {
  const text =
    'Hits by people, per day in UTC; what counts as a hit and how exact the numbers are is in docs/analytics.md.';
  const elsewhere = suffix === '' ? '' : ' (other address)';
  return {
    [`GET ${at}/overview`]: {
      id: `getWebsiteHits${suffix}`,
      tag: 'Hit analytics',
      summary: `Hits of a website${elsewhere}`,
      text,
      answer: 'The hits of the period; `daily_hits` begins with today.',
      errors: ['WEBSITE_NOT_FOUND'],
      example: { query: { website_id: '1', period: '2d' } },
    },
    [`GET ${at}/redirects/:id`]: {
      id: `getRedirectHits${suffix}`,
      tag: 'Hit analytics',
      summary: `Hits of a redirect${elsewhere}`,
      text,
      answer: 'The hits of the period; `daily_hits` begins with today.',
      errors: ['REDIRECT_NOT_FOUND'],
      example: { path: { id: '1' }, query: { period: '2d' } },
    },
  };
}

export const SERVICE_TEXTS: OperationTexts = {
  'GET /health': {
    id: 'getHealth',
    tag: 'Operation',
    summary: 'Is the process alive',
    answer: 'It is.',
    example: {},
  },
  'GET /ready': {
    id: 'getReadiness',
    tag: 'Operation',
    summary: 'Can it serve',
    text: 'The database answers, its schema is there, and the rules are loaded.',
    answer: 'It can.',
    example: {},
  },
  'GET /metrics': {
    id: 'getMetrics',
    tag: 'Operation',
    summary: 'Numbers for monitoring',
    answer: 'The text format of Prometheus; the names are in docs/operations.md.',
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    tag: 'Operation',
    summary: 'This API as an OpenAPI document',
    answer: 'OpenAPI 3.1, for generators and other tools.',
  },
};
