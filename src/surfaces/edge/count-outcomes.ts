import type { IncomingMessage } from 'node:http';
import { rawUtmSource } from '../../hits/count/sources.ts';
import type { HitRecorder } from '../../hits/record/recorder.ts';
import type { Client } from './client.ts';
import type { EdgeOutcome } from './edge.ts';
import type { OutcomeTotals } from './outcome-totals.ts';
import { NONCE_HEADER } from '../../vocabulary/checks.ts';
import { firstValue } from '../../http/server/raw-headers.ts';

/**
 * Adds the edge's responses to the metrics, and records them as hits. Only a GET is a visit: HEAD probes, and other methods
 * come from scripts and forms. Live checks send the nonce of the website and are no visits.
 */
export function createOutcomeCounter(
  hits: Pick<HitRecorder, 'record'>,
  totals: Pick<OutcomeTotals, 'add'>,
  clientOf: (request: IncomingMessage) => Client,
  nonceOf: (websiteId: number) => string | undefined,
): (request: IncomingMessage, outcome: EdgeOutcome) => void {
  return (request, outcome) => {
    totals.add(outcome);
    const { live, path, redirectId, micros } = outcome;
    if (request.method !== 'GET') return;
    const check = firstValue(request.rawHeaders, NONCE_HEADER);
    if (check !== undefined && check === nonceOf(live.site.id)) return;
    const { address, country } = clientOf(request);
    hits.record({
      websiteId: live.site.id,
      environment: live.environment,
      redirectId,
      path,
      micros,
      address,
      userAgent: firstValue(request.rawHeaders, 'user-agent') ?? '',
      country,
      referrer: firstValue(request.rawHeaders, 'referer'),
      utmSource: redirectId === null ? undefined : rawUtmSource(request.url ?? ''),
    });
  };
}
