/** Expectations, and how a failed one and a lost URL are shown. */
import { firstLines } from './errors.ts';

export interface Answer {
  status_code?: number | null;
  location?: string | null;
  final?: string | null;
  /** why the chain has no end */
  problem?: string | null;
}

export interface Failure {
  url: string;
  environment?: string;
  expected?: Answer;
  actual?: Answer;
  /** of a lost URL of the list */
  reason?: string;
  /** of a living page: the rule that would hide it */
  old_path?: string;
}

/** The first of `count` failures: `/checkout: expected 301 to /pay, got 404`. */
export function failureLines(failures: Failure[], count = failures.length): string[] {
  const toLine = ({ url, expected, actual, reason, old_path: rule }: Failure): string => {
    if (reason !== undefined) return `${url}: would be lost (${reason})`;
    if (rule !== undefined) return `${url}: a living page, would be hidden by ${rule}`;
    return `${url}: expected ${answerText(expected)}, got ${answerText(actual)}`;
  };
  return firstLines(failures, count, toLine);
}

function answerText({ status_code: status, location, final, problem }: Answer = {}): string {
  const parts = [
    ...(status == null ? [] : [status === 404 ? '404 (no redirect)' : String(status)]),
    ...(location == null ? [] : [`to ${location}`]),
    ...(final == null ? [] : [`ending at ${final}`]),
    ...(problem == null ? [] : [`(${problem})`]),
  ];
  return parts.join(' ') || 'no redirect';
}
