import type { ListedExpectation } from '../../api/client/wire.ts';
import { Icon } from '../../ui/icons.tsx';
import { actualText, isRedirect, targetOf } from '../../ui/list/failure-list.tsx';
import { TextWithPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { pathOf } from '../../urls.ts';

/** The last result of an expectation against the live rules, since when, and its redirect. */
export function LastResult(props: { websiteId: number } & ListedExpectation) {
  const { websiteId, url, status_code: expected, result, result_since: since, actual } = props;
  const [path = ''] = pathOf(url).split('?', 1);
  const hasRedirect = isRedirect(expected) || isRedirect(actual?.status_code ?? 0);
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
          {' '}
          <span class="muted">Got</span> <TextWithPath text={actualText(actual)} path={targetOf(actual)} />
        </span>
      )}{' '}
      {hasRedirect && (
        <a
          href={`/websites/${websiteId}/redirects?${new URLSearchParams({ q: path }).toString()}`}
          aria-label={`Redirect of ${url}`}
        >
          Redirect
        </a>
      )}
    </span>
  );
}
