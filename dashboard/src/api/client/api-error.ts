import type { ErrorCode, Issue } from '../../../../src/vocabulary/error.ts';
import type { Redirect, Website } from './wire.ts';

/** A change by someone else that a save would have overwritten. */
export interface ChangedElsewhere {
  /** undefined if unknown */
  by: string | undefined;
  at: string;
  /** as it is now: one of these */
  redirect?: Redirect | undefined;
  website?: Website | undefined;
}

/** A failed request: the service's error response, or NO_RESPONSE without one. */
export class ApiError extends Error {
  /** 0: no response */
  readonly status: number;
  readonly code: ErrorCode | 'NO_RESPONSE';
  /** the field and the remedy */
  readonly details: string;
  readonly issues: Issue[];
  /** epoch seconds; 429 only: when the rate limit resets */
  readonly reset: number | undefined;
  /** CHANGED_SINCE only */
  readonly changed: ChangedElsewhere | undefined;

  constructor(
    status: number,
    code: ErrorCode | 'NO_RESPONSE',
    message: string,
    more: { [Name in 'details' | 'issues' | 'reset' | 'changed']?: ApiError[Name] | undefined } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = more.details ?? '';
    this.issues = more.issues ?? [];
    this.reset = more.reset;
    this.changed = more.changed;
  }

  /** The service's message about one field. */
  issueOf(field: string): string | undefined {
    return this.issues.find((issue) => issue.path === field)?.message;
  }
}

/** Converts any thrown value to an ApiError. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, 'NO_RESPONSE', 'Something went wrong on this page', {
    details: thrown instanceof Error ? thrown.message : String(thrown),
  });
}

/** True if the request was aborted, for example because a newer one replaced it. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
