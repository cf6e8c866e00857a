/** Statuses of a rule. 410 and 451 have no target. */
export const STATUS_CODES = [301, 302, 303, 307, 308, 410, 451] as const;

/** Statuses of an expectation: 404 is a path without a redirect. */
export const EXPECTED_STATUSES = [...STATUS_CODES, 404].toSorted((a, b) => a - b);

export type StatusCode = (typeof STATUS_CODES)[number];

export function isStatusCode(value: number): value is StatusCode {
  return (STATUS_CODES as readonly number[]).includes(value);
}

/** False for the statuses without a Location. */
export function statusHasTarget(status: number): boolean {
  return status !== 410 && status !== 451;
}

/** Statuses of a host that redirects as a whole. 303 would turn every method into GET. */
export const DOMAIN_REDIRECT_STATUSES: readonly number[] = [301, 302, 307, 308];
