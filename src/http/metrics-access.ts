import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Config } from '../platform/config/config.ts';
import { withoutPort } from '../platform/network/forwarded-address.ts';
import { DomainError } from '../vocabulary/error.ts';
import { PRIVATE_RANGES } from '../websites/service-hosts.ts';

/**
 * Returns why a client may not read the metrics, or undefined. `address` is the client's by TRUST_PROXY.
 */
export type MetricsAccess = (headers: IncomingHttpHeaders, address: string) => DomainError | undefined;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Creates the check of GET /metrics, whose counts concern all accounts. With METRICS_TOKEN it demands the token (401),
 * otherwise a client in a private network (403).
 */
export function createMetricsAccess({
  metricsToken,
  trustProxy,
}: Pick<Config, 'metricsToken' | 'trustProxy'>): MetricsAccess {
  if (metricsToken === null) {
    return (headers, address) => {
      // Behind an unknown proxy, every client would seem to be the proxy.
      const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
      if (trustProxy === false && isForwarded)
        return notPrivate('a proxy sent this request, and TRUST_PROXY is not set');
      return isPrivate(address) ? undefined : notPrivate(`${address || 'the client'} is not a private address`);
    };
  }
  const expected = digest(metricsToken);
  return ({ authorization = '' }) => {
    const sent = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    // Digests have one length, and a comparison in constant time does not leak how much of the token is right.
    if (timingSafeEqual(digest(sent), expected)) return undefined;
    return new DomainError('UNAUTHORIZED', 'Authentication is required', {
      details: 'Authorization: send the value of METRICS_TOKEN as bearer token',
    });
  };
}

function isPrivate(address: string): boolean {
  const bare = withoutPort(address);
  return ipaddr.isValid(bare) && PRIVATE_RANGES.has(ipaddr.process(bare).range());
}

function notPrivate(reason: string): DomainError {
  return new DomainError('ADDRESS_NOT_ALLOWED', 'Metrics are for private networks only', {
    details: `${reason}; read the metrics from a private address, or set METRICS_TOKEN and send it as bearer token`,
  });
}
