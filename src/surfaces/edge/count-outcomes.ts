import type { IncomingMessage } from 'node:http';
import type { HitRecorder } from '../../hits/record/recorder.ts';
import type { Client } from './client.ts';
import type { EdgeOutcome } from './edge.ts';

/**
 * Counts what the edge has answered. A GET is a visit; HEAD asks whether there would be one, and whatever else is sent to an old address
 * (OPTIONS before a request of a script, a POST of a form) is no page that somebody opens.
 */
export function countOutcomes(
  hits: HitRecorder,
  clientOf: (request: IncomingMessage) => Client,
): (request: IncomingMessage, outcome: EdgeOutcome) => void {
  return (request, { live, path, match, micros }) => {
    if (request.method !== 'GET') return;
    const { address, country } = clientOf(request);
    hits.record({
      websiteId: live.site.id,
      environment: live.environment,
      redirectId: match?.id ?? null,
      path,
      micros,
      address,
      userAgent: request.headers['user-agent'] ?? '',
      country,
      referrer: request.headers.referer,
    });
  };
}
