import type { ExpectationFailure, ExpectedResponse } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { TextWithPath, WrappedPath } from '../text/path-text.tsx';

/** Rendered lines; the service lists up to 1,000. */
const MAX_LINES = 200;

/** Expectations that do not hold, each with the expected and the actual response. `total`: including unlisted ones. */
export function FailureList({ failures, total }: { failures: readonly ExpectationFailure[]; total: number }) {
  const shown = failures.slice(0, MAX_LINES);
  return (
    <>
      <ul class="row-list failure-list" aria-label="Failed expectations" tabIndex={0}>
        {shown.map(({ url, expected, actual }) => (
          <li key={url}>
            <p class="mono break whole">
              <WrappedPath path={url} />
            </p>
            <p class="break">
              <span class="muted">Expected</span>{' '}
              <TextWithPath text={expectedText(expected)} path={targetOf(expected)} />
            </p>
            <p class="break">
              <span class="muted">Got</span>{' '}
              <strong>
                <TextWithPath text={actualText(actual)} path={targetOf(actual)} />
              </strong>
            </p>
          </li>
        ))}
      </ul>
      {total > shown.length && <p class="small muted">and {number(total - shown.length)} more</p>}
    </>
  );
}

/** The target that the text of a response names. */
export const targetOf = ({ location, final }: Pick<ExpectedResponse, 'location' | 'final'>): string | null =>
  final ?? location;

export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** `301 to /new`. */
export function expectedText({ status_code: status, location, final }: ExpectedResponse): string {
  if (status === 404) return '404 Not found';
  if (!isRedirect(status)) return String(status);
  if (final !== null) return `${status}, ends at ${final}`;
  return location === null ? `${status} to any URL` : `${status} to ${location}`;
}

function actualText({ status_code: status, location, final, problem }: ExpectationFailure['actual']): string {
  if (problem !== null) return status === null ? problem : `${status}: ${problem}`;
  if (status === null) return 'no response';
  const target = location === null ? '' : ` to ${location}`;
  const first = status === 404 ? '404 Not found' : `${status}${target}`;
  return final === null ? first : `${first}, ends at ${final}`;
}
