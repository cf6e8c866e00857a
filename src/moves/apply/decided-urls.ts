/** Decided URLs, and the report of an apply. */
import type { Environment } from '../../vocabulary/environment.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';

/** A URL with the answer that it shall get. `target` is null for a gone one. */
export interface DecidedUrl {
  /** canonical path with its query */
  url: string;
  target: string | null;
  /** null: the status of the call, or 410 */
  statusCode: number | null;
}

export interface MoveRule {
  pattern: string;
  target: string;
}

export interface ApplyOptions {
  /** at least one */
  environments: Environment[];
  groupId: string | null | undefined;
  /** of redirects without a status */
  statusCode: number;
  /** each URL becomes an expectation */
  expectations: boolean;
  /** existing redirects with another answer get the decided one; otherwise they are conflicts */
  replaces: boolean;
  /** older redirects to decided URLs lead to their targets */
  flatten: boolean;
  dryRun: boolean;
}

/** A URL, or the pattern of a rule, that was not written, or whose expectation was not. */
export interface ApplyConflict {
  url: string;
  code: ErrorCode | 'EXPECTATION_CONFLICT' | 'RULE_ANSWERS_ROW';
  message: string;
}

/** An older redirect to a decided URL. */
export interface Flattening {
  redirectId: number;
  oldPath: string;
  before: string;
  after: string;
}
