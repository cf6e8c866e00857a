import type { RequestListener } from 'node:http';
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { misdirected, sendPlainError } from '../../http/plain-response.ts';
import type { Clock } from '../../platform/clock.ts';
import { absoluteForm } from '../../resolver/canonical-path.ts';
import { hostOfHeader } from '../../websites/hostname.ts';

/** For a process without the edge: rejects requests of managed websites and passes all others to `next`. */
export function withoutRedirects(
  { registry, clock, requestId }: { registry: LiveRegistry; clock: Clock; requestId: () => string },
  next: RequestListener,
): RequestListener {
  return (request, response) => {
    const url = request.url ?? '/';
    const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
    const host = hostOfHeader(absolute?.host ?? request.headers.host ?? '');
    if (!registry.byHostname(host)) return next(request, response);
    response.setHeader('X-Request-Id', requestId());
    sendPlainError(request, response, clock, misdirected(host, 'the API and the dashboard (DETOUR_ROLE=api)'));
  };
}
