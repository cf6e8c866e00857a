import { z } from 'zod';
import { exportHitTable, HIT_TABLES } from '../../analytics/hit-tables.ts';
import { hitPeriods } from '../../analytics/period.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/wire/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/wire/zod.ts';
import { filters, group, partOfHits, period, redirectId, website } from './hits-wire.ts';

/** GET {prefix}/export: one table of the analytics as CSV. No HEAD: the length is unknown until the export is complete. */
export function hitExportRoute(app: Api, { reads, streamShares, clock }: SurfaceDeps, prefix: '' | '/analytics'): void {
  const [suffix, note] = prefix === '' ? ['', ''] : ['Alias', ' (alias)'];
  app.get(`${prefix}/export`, {
    config: { feature: 'analytics', gives: { 'text/csv': z.string() } },
    exposeHeadRoute: false,
    tag: 'Hit analytics',
    operationId: `exportHits${suffix}`,
    summary: `Export hits${note}`,
    description:
      'Streams one complete table of the period as CSV, from one snapshot. A space precedes cells that a spreadsheet would read as a formula. If an error occurs after the start of the response, the connection is closed.',
    returns: 'The table, with a header.',
    responseHeaders: ['Content-Disposition'],
    errors: ['WEBSITE_NOT_FOUND', 'REDIRECT_NOT_FOUND', 'BUSY'],
    example: { query: { website_id: '1', table: 'redirects', period: '2d' } },
    querystring: queryObject({
      ...website,
      redirect_id: redirectId.optional().describe('Only the hits of this redirect.'),
      table: z
        .enum(HIT_TABLES)
        .describe(
          'The table: `days`, `countries`, `referrers` or `utm_sources`, or of a whole website `redirects` or `groups`.',
        ),
      ...period,
      ...filters,
      ...group,
    }),
    async handler({ actor, query }, reply) {
      const { period: count, startDate, endDate, maxStaleness, ...options } = partOfHits(query);
      const { days } = hitPeriods({ period: count, startDate, endDate }, clock.now());
      const { websiteId, redirectId: ofRedirect, table } = options;
      const subject = ofRedirect === undefined ? `website-${websiteId}` : `redirect-${ofRedirect}`;
      const range = startDate || endDate ? `${days.startDate}-to-${days.endDate}` : `${count ?? 30}d`;
      void reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="${subject}-${table}-${range}.csv"`);
      return sendStream(reply, streamShares.lists(actor), () =>
        reads.stream(maxStaleness, (streams) => exportHitTable(streams, actor, { ...options, period: days })),
      );
    },
  });
}
