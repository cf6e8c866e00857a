import type { ListedExpectation } from '../../api/client/wire.ts';
import { Icon } from '../../ui/icons.tsx';
import { AnsweringRedirect } from '../../ui/list/answering-redirect.tsx';
import { actualText, isRedirect, targetOf } from '../../ui/list/failure-list.tsx';
import { isUnanswered, type useUnanswered, WhyUnanswered } from '../../ui/list/unanswered.tsx';
import { TextWithPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';

type Reasons = ReturnType<typeof useUnanswered>;

/** The last result of an expectation against the live rules, since when, and its redirect. */
export function LastResult(props: { websiteId: number; reasons: Reasons } & ListedExpectation) {
  const { websiteId, reasons, environment, url, status_code: expected, result, result_since: since, actual } = props;
  const status = result === 'holds' ? expected : actual?.status_code;
  return (
    <div class="break small">
      {result === null ? (
        <span class="muted">Not run yet</span>
      ) : (
        <span class={result === 'holds' ? 'badge ok' : 'badge danger'}>
          <Icon name={result === 'holds' ? 'check' : 'warning'} size={13} />
          {result === 'holds' ? 'Holds' : 'Fails'}
        </span>
      )}{' '}
      {since !== null && (
        <span class="muted">
          since <Time at={since} />
        </span>
      )}
      {actual && (
        <span>
          <span class="muted">. Got</span> <TextWithPath text={actualText(actual)} path={targetOf(actual)} />
        </span>
      )}{' '}
      {isRedirect(status ?? 0) && <AnsweringRedirect tested={{ websiteId, environment }} url={url} />}
      {result === 'fails' && isUnanswered(props, actual) && (
        <WhyUnanswered of={{ websiteId, environment, url }} reasons={reasons} />
      )}
    </div>
  );
}
