import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { counted, fullTime, number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { type HomeNeed, hideUntilTomorrow, showHidden } from '../../state/shown-needs.ts';
import { countWebsites, groupedNeeds, type NeedGroup, type NeedRow, withoutHidden } from './need-groups.ts';
import { countText, needText } from './need-text.ts';

interface NeedListProps {
  items: readonly HomeNeed[];
  /** of all, of which the service lists the first */
  count: number;
  /** names the website of each line */
  hasWebsites?: boolean;
  /** shows nothing instead of the line that nothing needs attention */
  isQuiet?: boolean;
}

/** The things that need attention in groups, the most urgent first. */
export function NeedList({ items, count, hasWebsites = false, isQuiet = false }: NeedListProps) {
  const attributes = useRows([
    { keys: 'Enter', label: 'Do what the line asks for' },
    { keys: 'l', label: 'Hide the line until tomorrow' },
  ]);
  if (items.length === 0 && isQuiet) return null;
  const { shown, hidden } = withoutHidden(groupedNeeds(items, mayEdit.value));
  if (shown.length === 0)
    return (
      <p class="card calm row">
        <Icon name="check" /> Nothing {hidden > 0 && 'else '}needs your attention. <Hidden count={hidden} />
      </p>
    );
  return (
    <section class="card list-card" aria-label="Needs attention" {...attributes}>
      {shown.map((group) => (
        <Group key={group.title} group={group} hasWebsites={hasWebsites} />
      ))}
      {hidden > 0 && (
        <p class="body">
          <Hidden count={hidden} />
        </p>
      )}
      {count > items.length && (
        <p class="body small muted">and {number(count - items.length)} more. Open a website to see its own.</p>
      )}
    </section>
  );
}

function Hidden({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="small muted">
      {counted(count, 'line is', 'lines are')} hidden until tomorrow.{' '}
      <Button kind="quiet" size="small" onClick={showHidden}>
        Show
      </Button>
    </span>
  );
}

const keyOf = (need: HomeNeed): string =>
  JSON.stringify([need.kind, need.website_id, need.environment, need.subject_id]);

function Group({ group: { title, count, rows }, hasWebsites }: { group: NeedGroup; hasWebsites: boolean }) {
  const id = useId();
  return (
    <>
      <h2 id={id} class="small need-title">
        {title} <span class="muted">{number(count)}</span>
      </h2>
      <ul class="row-list needs" aria-labelledby={id}>
        {rows.map(({ need, parts }) => (
          <li key={keyOf(need)} {...ROW}>
            {parts.length === 0 ? (
              <Line need={need} hasWebsite={hasWebsites} />
            ) : (
              <ManyWebsites need={need} parts={parts} />
            )}
            <Later need={need} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Line({ need, hasWebsite }: { need: HomeNeed; hasWebsite: boolean }) {
  const { text, subject = null, action, href } = needText(need);
  const verb = mayEdit.value ? action : 'View';
  const website = hasWebsite ? websites.value?.find(({ id }) => String(id) === need.website_id) : undefined;
  return (
    <>
      <Sentence need={need} aside={[website?.name, sinceOf(need)].filter(Boolean)} />
      <LinkButton size="small" href={href} data-key="Enter" aria-label={`${verb}: ${text} ${subject ?? ''}`}>
        {verb}
      </LinkButton>
    </>
  );
}

/** Hides a line. It takes the last place, where the other buttons of all lines stay below one another. */
function Later({ need }: { need: HomeNeed }) {
  const { text, subject = '' } = needText(need);
  return (
    <Button
      kind="quiet"
      size="small"
      data-key="l"
      title="Hide until tomorrow"
      aria-label={`Later: ${text} ${subject ?? ''}`}
      onClick={() => hideUntilTomorrow(need)}
    >
      Later
    </Button>
  );
}

/** An equal need of many websites, which open below it. */
function ManyWebsites({ need, parts }: NeedRow) {
  const isOpen = useSignal(false);
  const { text } = needText(need);
  const verb = isOpen.value ? 'Hide' : 'Show';
  return (
    <>
      <Sentence need={need} aside={[counted(countWebsites(parts), 'website')]} />
      <Button
        size="small"
        data-key="Enter"
        aria-expanded={isOpen.value}
        aria-label={`${verb}: ${text}`}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {verb}
      </Button>
      {isOpen.value && (
        <ul class="row-list needs" aria-label={text}>
          {parts.map((part) => (
            <li key={keyOf(part)} {...ROW}>
              <Line need={part} hasWebsite />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The need in words, with its website and its time beside it. */
function Sentence({ need, aside }: { need: HomeNeed; aside: readonly ComponentChildren[] }) {
  const { text, subject = null, isBad = false } = needText(need);
  return (
    <>
      <span class={`activity-icon ${isBad ? 'bad' : 'muted'}`}>
        <Icon name={isBad ? 'warning' : 'notices'} />
      </span>
      <span class="break">
        {text}
        {subject !== null && (
          <> {subject.startsWith('/') ? <WrappedPath path={subject} /> : <strong>{subject}</strong>}</>
        )}
        {aside.length > 0 && (
          <>
            {' '}
            <span class="small muted since">
              {aside[0]}
              {aside.length > 1 && ' · '}
              {aside[1]}
            </span>
          </>
        )}
      </span>
    </>
  );
}

/** How long ago it began, or the time at which it begins or ends; of unmatched paths, the visits. */
function sinceOf({ kind, since, hits, count_is_stale: isStale }: HomeNeed): ComponentChildren {
  if (hits !== null) return `${counted(hits, 'visit')} in all`;
  if (kind === 'urls.lost') return countText(since, isStale);
  if (since === null) return undefined;
  return Date.parse(since) > Date.now() ? fullTime(since) : <Time at={since} />;
}
