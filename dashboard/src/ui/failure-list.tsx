import type { ExpectationFailure } from '../api/wire.ts';
import { number } from '../format.ts';
import { actualText, expectedText } from './expectation-text.ts';
import './failure-list.css';

/** Rendered lines; the service lists up to 1,000. */
const MAX_LINES = 200;

/** Expectations that do not hold, each with the expected and the actual response. `total`: including unlisted ones. */
export function FailureList({ failures, total }: { failures: readonly ExpectationFailure[]; total: number }) {
  const shown = failures.slice(0, MAX_LINES);
  return (
    <>
      <ul class="failure-list" aria-label="Failed expectations" tabIndex={0}>
        {shown.map(({ url, expected, actual }) => (
          <li key={url}>
            <p class="mono break">{url}</p>
            <p class="break">
              <span class="muted">Expected</span> {expectedText(expected)}
            </p>
            <p class="break">
              <span class="muted">Got</span> <strong>{actualText(actual)}</strong>
            </p>
          </li>
        ))}
      </ul>
      {total > shown.length && <p class="small muted">and {number(total - shown.length)} more</p>}
    </>
  );
}
