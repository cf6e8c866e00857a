import type { ErrorCode, Issue } from '../../../src/vocabulary/error.ts';

/** A call that did not succeed: what the service said, or that it could not be asked. */
export class ApiError extends Error {
  /** 0: there was no answer */
  readonly status: number;
  readonly code: ErrorCode | 'NO_ANSWER';
  /** names the field and the remedy */
  readonly details: string;
  readonly issues: Issue[];
  /** epoch seconds; of a 429: when the budget is full again */
  readonly reset: number | undefined;

  constructor(
    status: number,
    code: ErrorCode | 'NO_ANSWER',
    message: string,
    more: { details?: string | undefined; issues?: Issue[] | undefined; reset?: number | undefined } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = more.details ?? '';
    this.issues = more.issues ?? [];
    this.reset = more.reset;
  }

  /** What is wrong with one field, in the service's words. */
  issueOf(field: string): string | undefined {
    return this.issues.find((issue) => issue.path === field)?.message;
  }
}

/** Whatever was thrown, as an error of the one kind that screens know. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, 'NO_ANSWER', 'Something went wrong in this page', {
    details: thrown instanceof Error ? thrown.message : String(thrown),
  });
}

/** True where a newer request took the place of this one: nothing to tell anybody. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
