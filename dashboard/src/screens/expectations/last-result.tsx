import type { ListedExpectation } from '../../api/client/wire.ts';
import { Icon } from '../../ui/icons.tsx';
import { AnsweringRedirect } from '../../ui/list/answering-redirect.tsx';
import { actualText, isRedirect, targetOf } from '../../ui/list/failure-list.tsx';
import { TextWithPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';

/** The last result of an expectation against the live rules, since when, and its redirect. */
export function LastResult(props: { websiteId: number } & ListedExpectation) {
  const { websiteId, environment, url, status_code: expected, result, result_since: since, actual } = props;
  const status = result === 'holds' ? expected : actual?.status_code;
  return (
    <span class="break small">
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
    </span>
  );
}
