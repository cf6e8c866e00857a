import type { UrlAnswer } from '../../../../src/vocabulary/urls.ts';
import type { Website, WebsiteUrl } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { redirectUrl } from '../../urls.ts';
import { stateText, weightText } from './url-words.ts';
import { ANSWERS } from './view.ts';

interface CellsProps {
  website: Website;
  url: WebsiteUrl;
  search: string | undefined;
  /** the answer that all of the list have */
  answered: UrlAnswer | undefined;
  onAccept: () => void;
}

/** A URL with its answer and weight; below, its title, state and numbers. */
export function UrlCells(props: CellsProps) {
  const { url: found, search, answered: ofAll } = props;
  const { url, title, weight, answered } = found;
  const { label, tone, help } = ANSWERS[answered];
  const parts = weightText(found);
  return (
    <>
      <span class="mono strong shrink">
        <PathText path={url} search={search} />
      </span>
      <span>
        {ofAll === undefined && (
          <span class={`badge ${tone}`} title={help}>
            {label}
          </span>
        )}
      </span>
      <span class="small muted">
        {weight > 0 && (
          <>
            Weight <strong>{number(weight)}</strong>
          </>
        )}
      </span>
      <Actions {...props} />
      <span class="row-facts small muted whole break">
        {title !== null && <span>{title}</span>}
        <span>{stateText(found)}</span>
        {parts !== '' && <span>{parts}</span>}
        <span>
          Last seen <Time at={found.last_seen_at} />
        </span>
      </span>
    </>
  );
}

/** Opens the redirect that answers. A lost URL needs one, or is accepted. */
function Actions({ website, url: { url, answered, redirect_id: id }, onAccept }: CellsProps) {
  const isOpen = mayEdit.value && answered === 'lost';
  const create = `/websites/${website.id}/redirects?${new URLSearchParams({ new: url }).toString()}`;
  return (
    <span class="actions">
      {(isOpen || id !== null) && (
        <LinkButton
          size="small"
          href={id === null ? create : redirectUrl(website.id, id)}
          aria-label={`${id === null ? 'Redirect' : 'Open the redirect of'} ${url}`}
          data-key="Enter"
        >
          {id === null ? 'Redirect' : 'Open redirect'}
        </LinkButton>
      )}
      {isOpen && (
        <Button kind="quiet" size="small" data-key="a" aria-label={`Accept the loss of ${url}`} onClick={onAccept}>
          Accept
        </Button>
      )}
    </span>
  );
}
