/** The rules of an expectation. One that breaks a rule is invalid, and with it the whole body. */
import type { Expectation } from '../deployments/gate/compare.ts';
import { parseUrl } from '../deployments/live/test-url.ts';
import { issue } from '../formats/rows/cells.ts';
import { hasControlCharacter } from '../rules/check-fields.ts';
import type { HostTable } from '../resolver/host-table.ts';
import { splitTarget } from '../resolver/spelling/canonical-path.ts';
import { type Environment, ENVIRONMENTS, isEnvironment } from '../vocabulary/environment.ts';
import { type Issue, wrongParameter } from '../vocabulary/error.ts';
import { EXPECTED_STATUSES, statusHasTarget } from '../vocabulary/status-code.ts';
import type { WebsiteHost } from '../websites/website.ts';

export const FIELDS = ['url', 'environment', 'status_code', 'location', 'final'] as const;
/** Fields of a listed expectation that a body may have, so that a list can be sent back; they are ignored. */
const RESULT_FIELDS: readonly string[] = ['result', 'result_since', 'actual'];
/** Bytes of the canonical URL: an index entry of PostgreSQL takes at most 2,704. */
export const MAX_URL_BYTES = 2_048;
/** Characters. */
export const MAX_LOCATION = 4_096;

/** An expectation as it is stored. */
export interface StoredExpectation extends Expectation {
  environment: Environment;
}

/** A checked expectation. `key` is the canonical form of its URL: equal URLs have equal keys. */
export interface CheckedExpectation extends StoredExpectation {
  key: string;
}

/**
 * Checks an entry of a body: unknown names and types first, then values. Returns the expectation, or its first issue.
 * `hosts` are those of the website.
 */
export function checkExpectation(value: unknown, hosts: HostTable<WebsiteHost>): CheckedExpectation | Issue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return issue('expectations', 'INVALID_PARAMETER', 'an entry must be an object with url and status_code');
  }
  const fields = value as Record<string, unknown>;
  const unknown = Object.keys(fields).find(
    (name) => !(FIELDS as readonly string[]).includes(name) && !RESULT_FIELDS.includes(name),
  );
  if (unknown !== undefined) {
    return issue(unknown.slice(0, 100), 'UNKNOWN_FIELD', `is not a known field; the fields are ${FIELDS.join(', ')}`);
  }
  const { url, environment = 'production', status_code: statusCode } = fields;
  const [location, final] = [fields['location'] ?? null, fields['final'] ?? null];
  if (typeof url !== 'string') return url === undefined ? absent('url') : wrongType('url', 'a string');
  if (typeof environment !== 'string' || !isEnvironment(environment)) {
    return issue('environment', 'INVALID_ENVIRONMENT', `must be one of ${ENVIRONMENTS.join(', ')}`);
  }
  if (typeof statusCode !== 'number') {
    return statusCode === undefined ? absent('status_code') : wrongType('status_code', 'a number');
  }
  if (location !== null && typeof location !== 'string') return wrongType('location', 'a string or null');
  if (final !== null && typeof final !== 'string') return wrongType('final', 'a string or null');
  const expected = { statusCode, location, final };
  const found = urlIssue(url, environment, hosts) ?? responseIssue(expected);
  return found ?? { url, environment, ...expected, key: keyOf(url) };
}

export const isIssue = (checked: CheckedExpectation | Issue): checked is Issue => 'code' in checked;

/** The canonical form of a URL that `checkExpectation` accepts. */
function keyOf(url: string): string {
  const { scheme, host, target } = parseUrl(url) ?? { target: url };
  const { path, query } = splitTarget(target);
  const address = query === null ? path : `${path}?${query}`;
  return host === undefined ? address : `${scheme}://${host}${address}`;
}

/** Returns the canonical form of a URL in a query string. Throws INVALID_PARAMETER if no expectation can have it. */
export function requireKey(url: string): string {
  const found = textIssue('url', url, MAX_URL_BYTES) ?? (parseUrl(url) ? undefined : notUrl());
  if (found) throw wrongParameter('url', found.message);
  return keyOf(url);
}

function urlIssue(url: string, environment: Environment, hosts: HostTable<WebsiteHost>): Issue | undefined {
  const text = textIssue('url', url, MAX_URL_BYTES);
  if (text) return text;
  const parsed = parseUrl(url);
  if (!parsed) return notUrl();
  if (url.includes('#')) return invalidValue('url', 'must not have a fragment: a browser does not send it');
  if (keyOf(url).length > MAX_URL_BYTES) return issue('url', 'TOO_LONG', tooLong('bytes in its canonical form'));
  const { authority, host } = parsed;
  if (authority === undefined) return undefined;
  const own = host === undefined ? undefined : hosts.find(host);
  if (own?.environment === environment) return undefined;
  const reason = own
    ? `is a host of ${own.environment}, and the expectation is for ${environment}`
    : 'is not a host of this website; add it to the website, or write a path';
  return issue('url', 'SOURCE_HOST_MISMATCH', `${authority.slice(0, 100)} ${reason}`);
}

const tooLong = (unit: string): string => `at most ${MAX_URL_BYTES.toLocaleString('en')} ${unit}`;
const notUrl = (): Issue =>
  invalidValue('url', 'must be a path that begins with "/", or an http or https URL on a host of the website');

function responseIssue({ statusCode, location, final }: Omit<Expectation, 'url'>): Issue | undefined {
  if (!EXPECTED_STATUSES.includes(statusCode)) {
    return issue('status_code', 'INVALID_STATUS_CODE', `must be one of ${EXPECTED_STATUSES.join(', ')}`);
  }
  if (location !== null && final !== null) return invalidValue('final', 'must not be set together with location');
  const field = location === null ? 'final' : 'location';
  const target = location ?? final;
  if (target === null) return undefined;
  if (statusCode === 404 || !statusHasTarget(statusCode)) {
    return invalidValue(field, `must not be set with the status ${statusCode}: its response has no Location`);
  }
  if (!/^(\/|https?:\/\/)/i.test(target)) return invalidValue(field, 'must be a path or an http or https URL');
  return textIssue(field, target, MAX_LOCATION);
}

function textIssue(field: string, text: string, max: number): Issue | undefined {
  if (text.length > max) return issue(field, 'TOO_LONG', `at most ${max.toLocaleString('en')} characters`);
  if (!hasControlCharacter(text)) return undefined;
  return issue(field, 'CONTROL_CHARACTER', 'must not contain control characters, nor lone surrogates');
}

const absent = (path: string): Issue => issue(path, 'MISSING_PARAMETER', 'is required');
const wrongType = (path: string, type: string): Issue => issue(path, 'INVALID_PARAMETER', `must be ${type}`);
const invalidValue = (path: string, message: string): Issue => issue(path, 'VALIDATION_ERROR', message);
