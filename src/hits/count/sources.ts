/**
 * Where visitors came from: the host of the Referer header and the query parameter `utm_source`. Nothing else of either
 * is stored.
 */
import { cached, detachString } from '../../platform/bounded-cache.ts';
import { OTHER } from '../counters/source-names.ts';

/** A host name has at most 253 characters. */
const HOST = /^https?:\/\/(?:[^/?#@]{0,300}@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?=[:/?#]|$)/i;
/** Longer headers have no valid host. */
export const MAX_REFERRER = 600;

/** The host of a Referer header in lower case, or null. Nothing else of the header is stored. */
export function referrerHost(referrer: string | undefined): string | null {
  const host = referrer === undefined ? undefined : HOST.exec(referrer)?.[1];
  return host === undefined ? null : detachString(host.toLowerCase());
}

/** Labels of letters, digits, `-` and `_`. The last one is not a number, so that no IP address is a name. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?$/;

/** The name that a Referer header counts as: its host, or OTHER if it has no valid host name; undefined without one. */
export function referrerName(referrer: string): string | undefined {
  if (referrer === '') return undefined;
  const host = referrerHost(referrer);
  return host !== null && HOST_NAME.test(host) ? host.replace(/\.$/, '') : OTHER;
}

const PARAMETER = 'utm_source=';
/** 64 characters, escaped. Longer values count as OTHER. */
const MAX_RAW = 800;
const MAX_SOURCE = 64;

/** The raw value of `utm_source` in a request's URL, truncated; undefined without it. Cheap: for the main thread. */
export function rawUtmSource(url: string): string | undefined {
  const query = url.indexOf('?');
  if (query < 0) return undefined;
  for (let at = url.indexOf(PARAMETER, query); at > 0; at = url.indexOf(PARAMETER, at + 1)) {
    const before = url[at - 1];
    if (before !== '?' && before !== '&') continue;
    const start = at + PARAMETER.length;
    const end = url.indexOf('&', start);
    return url.slice(start, Math.min(end < 0 ? Infinity : end, start + MAX_RAW));
  }
  return undefined;
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

/**
 * The name that a raw `utm_source` counts as: decoded, in lower case; undefined if it is blank. OTHER if it is longer
 * than 64 characters, not printable, or has an `@`, because it may be an email address.
 */
export function utmSourceName(raw: string): string | undefined {
  const name = decode(raw)?.normalize('NFC').trim().toLowerCase();
  if (name === '') return undefined;
  if (name === undefined || name.length > MAX_SOURCE || !PRINTABLE.test(name) || name.includes('@')) return OTHER;
  return Buffer.from(name).toString();
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const MAX_CACHED = 2_000;
const MAX_CACHED_LENGTH = 300;

/** Caches the names of texts that were seen recently. */
export function createSourceCache() {
  return {
    referrerName: cached(referrerName, MAX_CACHED, MAX_CACHED_LENGTH),
    utmSourceName: cached(utmSourceName, MAX_CACHED, MAX_CACHED_LENGTH),
  };
}
