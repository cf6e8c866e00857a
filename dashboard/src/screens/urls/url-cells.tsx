import type { UrlAnswer } from '../../../../src/vocabulary/urls.ts';
import type { Website, WebsiteUrl } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { ActionButton, Button, LinkButton } from '../../ui/button.tsx';
import { SelectBox } from '../../ui/list/selection-bar.tsx';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { nearnessText, suggestionTitle } from '../../ui/suggestions.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { redirectUrl } from '../../urls.ts';
import { bestTarget, type LostUrls, needsRedirect, redirectLost, waitsForDeployment } from './actions.ts';
import { lossText, stateText, weightText } from './url-words.ts';
import { ANSWERS } from './view.ts';

interface CellsProps {
  website: Website;
  url: WebsiteUrl;
  search: string | undefined;
  /** the answer that all of the list have */
  answered: UrlAnswer | undefined;
  lost: LostUrls;
  selection: RowSelection<string>;
  /** opens the form of a redirect for a lost URL, or for the end of its chain. `from`: the element that does */
  onRedirect: (url: string, from: Element) => void;
  onAccept: () => void;
}

/** A URL with its weight, its answer and the page that it may have become; below, its title, state and numbers. */
export function UrlCells(props: CellsProps) {
  const { url: found, search, answered: ofAll, lost, selection } = props;
  const { url, title, weight, answered } = found;
  const { label, tone, help } = ANSWERS[answered];
  const parts = weightText(found);
  return (
    <>
      <span class="row gap-1 mono strong shrink">
        {mayEdit.value && needsRedirect(found) && <SelectBox selection={selection} rows={[found.id]} label={url} />}
        <PathText path={url} search={search} />
      </span>
      <span class="small muted">
        {weight > 0 && (
          <>
            Weight <strong>{number(weight)}</strong>
          </>
        )}
      </span>
      <span class="row gap-1 shrink">
        {ofAll === undefined && (
          <span class={`badge ${tone}`} title={help}>
            {label}
          </span>
        )}
        {mayEdit.value && <Suggestion found={found} lost={lost} />}
      </span>
      <Actions {...props} />
      <span class="row-facts small muted whole break">
        {waitsForDeployment(found) && <span class="badge">Answered after the next deployment</span>}
        {lossText(found) !== '' && <span class="warned">{lossText(found)}</span>}
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

/** The page that a lost URL has most probably become. A click creates the redirect. */
function Suggestion({ found, lost }: { found: WebsiteUrl; lost: LostUrls }) {
  const target = bestTarget(found);
  const [best] = found.suggestions ?? [];
  if (target === undefined || !best) return null;
  return (
    <ActionButton
      size="small"
      icon="arrow"
      data-key="1"
      title={suggestionTitle({ ...best, target })}
      failure="Could not create the redirect"
      onAct={() => redirectLost(lost, found.url, target)}
    >
      <span class="unseen">Redirect {found.url} to </span>
      <span class="mono shrink">
        <PathText path={target} />
      </span>
      <span class="muted">{nearnessText(found.url, found.confidence ?? null, best)}</span>
    </ActionButton>
  );
}

/** Opens the redirect that answers. A lost URL needs one, or is accepted. */
function Actions({ website, url: found, onRedirect, onAccept }: CellsProps) {
  const { url, redirect_id: liveId, draft, ends_at: end } = found;
  const isOpen = mayEdit.value && needsRedirect(found);
  const id = waitsForDeployment(found) ? (draft?.redirect_id ?? null) : liveId;
  return (
    <span class="actions">
      {id !== null && (
        <LinkButton
          size="small"
          href={redirectUrl(website.id, id)}
          aria-label={`Open redirect of ${url}`}
          data-key="Enter"
        >
          Open redirect
        </LinkButton>
      )}
      {isOpen && (id === null || end !== null) && (
        <Button
          size="small"
          data-key={id === null ? 'Enter' : 'e'}
          aria-label={end === null ? `Redirect ${url}` : `Redirect its end: ${end}`}
          onClick={({ currentTarget }) => onRedirect(end ?? url, currentTarget)}
        >
          {end === null ? 'Redirect' : 'Redirect its end'}
        </Button>
      )}
      {isOpen && (
        <Button kind="quiet" size="small" data-key="a" aria-label={`Accept the loss of ${url}`} onClick={onAccept}>
          Accept
        </Button>
      )}
    </span>
  );
}
