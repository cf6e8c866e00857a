/** Texts for expected and actual responses. */
import type { ExpectationFailure, ExpectedResponse } from '../api/wire.ts';

/** Statuses that an expectation may have. */
export const EXPECTED_STATUSES = [301, 302, 303, 307, 308, 404, 410, 451] as const;

export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** `301 to /new`. */
export function expectedText({ status_code: status, location, final }: ExpectedResponse): string {
  if (status === 404) return '404 Not found';
  if (!isRedirect(status)) return String(status);
  if (final !== null) return `${status}, ends at ${final}`;
  return location === null ? `${status} to any URL` : `${status} to ${location}`;
}

export function actualText({ status_code: status, location, final, problem }: ExpectationFailure['actual']): string {
  if (problem !== null) return status === null ? problem : `${status}: ${problem}`;
  if (status === null) return 'no response';
  const target = location === null ? '' : ` to ${location}`;
  const first = status === 404 ? '404 Not found' : `${status}${target}`;
  return final === null ? first : `${first}, ends at ${final}`;
}
