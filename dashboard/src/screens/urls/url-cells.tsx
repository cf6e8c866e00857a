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
  isSelected: boolean;
  onSelect: () => void;
  onAccept: () => void;
}

/** A URL with its answer and weight; below, its title, state and numbers. */
export function UrlCells(props: CellsProps) {
  const { url: found, search, isSelected, onSelect } = props;
  const { url, title, weight, answered } = found;
  const { label, tone, help } = ANSWERS[answered];
  const parts = weightText(found);
  return (
    <>
      <span class="row shrink">
        {mayEdit.value && (
          <input
            type="checkbox"
            aria-label={`Select ${url}`}
            data-key=" "
            tabIndex={-1}
            checked={isSelected}
            onChange={onSelect}
          />
        )}
        <span class="mono strong shrink grow">
          <PathText path={url} search={search} />
        </span>
      </span>
      <span class="row">
        <span class={`badge ${tone}`} title={help}>
          {label}
        </span>
        <Answering {...props} />
      </span>
      <span class="small muted url-weight" title={parts === '' ? 'No links, clicks or hits' : parts}>
        Weight <strong>{number(weight)}</strong>
      </span>
      <NextStep {...props} />
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

/** The redirect that answers, also at the start of a chain without an end. */
function Answering({ website, url: { url, redirect_id: id } }: CellsProps) {
  if (id === null) return null;
  return (
    <a class="small" href={redirectUrl(website.id, id)} data-key="Enter">
      Redirect<span class="unseen"> of {url}</span>
    </a>
  );
}

/** A lost URL needs a redirect, or is accepted. */
function NextStep({ website, url: { url, answered, redirect_id: id }, onAccept }: CellsProps) {
  if (!mayEdit.value || answered !== 'lost') return <span />;
  const create = new URLSearchParams({ new: url });
  return (
    <span class="actions">
      {id === null && (
        <LinkButton
          size="small"
          href={`/websites/${website.id}/redirects?${create.toString()}`}
          aria-label={`Redirect ${url}`}
          data-key="Enter"
        >
          Redirect
        </LinkButton>
      )}
      <Button kind="quiet" size="small" data-key="a" aria-label={`Accept the loss of ${url}`} onClick={onAccept}>
        Accept
      </Button>
    </span>
  );
}
