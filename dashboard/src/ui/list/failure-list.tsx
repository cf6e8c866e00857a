import { useSignal } from '@preact/signals';
import type { ExpectationFailure, ExpectedResponse, GateFailure } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { Button } from '../button.tsx';
import { TextWithPath, WrappedPath } from '../text/path-text.tsx';
import { AnsweringRedirect, testerUrl, type TestedRules } from './answering-redirect.tsx';
import { isUnanswered, useUnanswered, WhyUnanswered } from './unanswered.tsx';

/** Lines before the others are asked for, so that a review shows its difference. */
const FIRST_LINES = 3;
/** Rendered lines; the service lists up to 1,000. */
const MAX_LINES = 200;

type Failure = ExpectationFailure | GateFailure;

interface FailureListProps {
  failures: readonly Failure[];
  /** including unlisted ones */
  total: number;
  tested: TestedRules;
  /** true if the live rules fail it too */
  isOld?: ((url: string) => boolean) | undefined;
  /** makes the response the expected one */
  onAccept?: ((failure: ExpectationFailure) => void) | undefined;
}

/** Expectations that do not hold, and lost or hidden URLs, each with the reason, its test and its redirect. */
export function FailureList({ failures, total, tested, isOld, onAccept }: FailureListProps) {
  const isWhole = useSignal(false);
  const isFolded = failures.length > FIRST_LINES && !isWhole.value;
  const shown = failures.slice(0, isFolded ? FIRST_LINES : MAX_LINES);
  const open = shown.filter(({ expected, actual }) => isUnanswered(expected, actual)).map(({ url }) => url);
  const reasons = useUnanswered(open.map((url) => ({ ...tested, url })));
  return (
    <>
      <ul class="row-list failure-list" aria-label="Failed expectations" tabIndex={0}>
        {shown.map((failure) => (
          <li key={`${'kind' in failure ? failure.kind : ''} ${failure.url}`}>
            <p class="row wrap whole">
              <a class="mono break" href={testerUrl(tested, failure.url)}>
                <WrappedPath path={failure.url} />
              </a>
              {isOld?.(failure.url) === true && <span class="badge">failed before</span>}
              {isAnswered(failure) && <AnsweringRedirect tested={tested} url={failure.url} />}
            </p>
            <Reason {...failure} />
            <div class="row wrap whole">
              {open.includes(failure.url) && <WhyUnanswered of={{ ...tested, url: failure.url }} reasons={reasons} />}
              {onAccept && isAcceptable(failure) && (
                <Button size="small" aria-label={`Expect this of ${failure.url}`} onClick={() => onAccept(failure)}>
                  Expect this
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {isFolded && (
        <Button size="small" onClick={() => (isWhole.value = true)}>
          Show all {number(Math.min(failures.length, MAX_LINES))}
        </Button>
      )}
      {!isFolded && total > shown.length && <p class="small muted">and {number(total - shown.length)} more</p>}
    </>
  );
}

/** A response that an expectation can name. */
const isAcceptable = (failure: Failure): failure is ExpectationFailure =>
  failure.expected !== undefined && failure.actual?.problem === null && failure.actual.status_code !== null;

/** A redirect answers, or hides the page. */
const isAnswered = (failure: Failure): boolean =>
  isRedirect(failure.actual?.status_code ?? 0) || ('old_path' in failure && failure.old_path !== undefined);

function Reason(failure: Failure) {
  const { expected, actual } = failure;
  if (!expected || !actual) return <p class="break">{lossText(failure)}</p>;
  return (
    <>
      <p class="break">
        <span class="muted">Expected</span> <TextWithPath text={expectedText(expected)} path={targetOf(expected)} />
      </p>
      <p class="break">
        <span class="muted">Got</span>{' '}
        <strong>
          <TextWithPath text={actualText(actual)} path={targetOf(actual)} />
        </strong>
      </p>
    </>
  );
}

function lossText(failure: Failure): string {
  if ('kind' in failure && failure.kind === 'url_shadowed')
    return `A living page, hidden by ${failure.old_path ?? 'a redirect'}`;
  const reasons = {
    unanswered: 'no redirect',
    dead_end: 'its redirect ends at a lost URL',
    loop: 'its redirects loop',
  };
  return `Lost: ${reasons[('reason' in failure && failure.reason) || 'unanswered']}`;
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

/** `404 Not found`, or what prevents a response. */
export function actualText({ status_code: status, location, final, problem }: ExpectationFailure['actual']): string {
  if (problem !== null) return status === null ? problem : `${status}: ${problem}`;
  if (status === null) return 'no response';
  const target = location === null ? '' : ` to ${location}`;
  const first = status === 404 ? '404 Not found' : `${status}${target}`;
  return final === null ? first : `${first}, ends at ${final}`;
}
