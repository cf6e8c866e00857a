/** Expectations, and how a failed one is shown. */
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
  expected: Answer;
  actual: Answer;
}

const MAX_LISTED = 20;

/** The first of `count` failures, one a line: `/checkout: expected 301 to /pay, got 404`. */
export function failureLines(failures: Failure[], count = failures.length): string[] {
  const lines = failures
    .slice(0, MAX_LISTED)
    .map(({ url, expected, actual }) => `  ${url}: expected ${answerText(expected)}, got ${answerText(actual)}`);
  const others = count - lines.length;
  return others > 0 ? [...lines, `  and ${others.toLocaleString('en')} more`] : lines;
}

function answerText({ status_code: status, location, final, problem }: Answer): string {
  const parts = [
    ...(status == null ? [] : [status === 404 ? '404 (no redirect)' : String(status)]),
    ...(location == null ? [] : [`to ${location}`]),
    ...(final == null ? [] : [`ending at ${final}`]),
    ...(problem == null ? [] : [`(${problem})`]),
  ];
  return parts.join(' ') || 'no redirect';
}
