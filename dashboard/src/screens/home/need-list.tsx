import type { Need } from '../../api/client/wire.ts';
import { fullTime, nearTime, number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { needText } from './need-text.ts';

interface NeedListProps {
  items: readonly Need[];
  /** of all, of which the service lists the first */
  count: number;
  /** names the website of each line */
  hasWebsites?: boolean;
}

/** The things that need attention, most urgent first. */
export function NeedList({ items, count, hasWebsites = false }: NeedListProps) {
  const attributes = useRows([{ keys: 'Enter', label: 'Do what the line asks for' }]);
  if (items.length === 0) {
    return (
      <p class="card calm row">
        <Icon name="check" /> Nothing needs your attention.
      </p>
    );
  }
  return (
    <section class="card list-card" aria-labelledby="needs" {...attributes}>
      <header>
        <h2 id="needs">Needs attention</h2>
      </header>
      <ul class="row-list needs">
        {items.map((need) => (
          <li key={JSON.stringify([need.kind, need.website_id, need.environment, need.subject_id])} {...ROW}>
            <Line need={need} hasWebsite={hasWebsites} />
          </li>
        ))}
      </ul>
      {count > items.length && (
        <p class="body small muted">and {number(count - items.length)} more. Open a website to see its own.</p>
      )}
    </section>
  );
}

function Line({ need, hasWebsite }: { need: Need; hasWebsite: boolean }) {
  const { text, subject = null, action, href, isBad = false } = needText(need);
  const verb = mayEdit.value ? action : 'View';
  const website = hasWebsite ? websites.value?.find(({ id }) => String(id) === need.website_id) : undefined;
  return (
    <>
      <span class={`activity-icon ${isBad ? 'bad' : 'muted'}`}>
        <Icon name={isBad ? 'warning' : 'notices'} />
      </span>
      <span class="break">
        {text}{' '}
        {subject !== null && (subject.startsWith('/') ? <WrappedPath path={subject} /> : <strong>{subject}</strong>)}
        {(website || need.since !== null) && (
          <span class="small muted since">
            {website?.name}
            {website && need.since !== null && ' · '}
            {need.since !== null && <Since at={need.since} isCount={need.kind === 'urls.lost'} />}
          </span>
        )}
      </span>
      <LinkButton size="small" href={href} data-key="Enter" aria-label={`${verb}: ${text} ${subject ?? ''}`}>
        {verb}
      </LinkButton>
    </>
  );
}

/** How long ago it began, the time at which it begins or ends, or that of a count. */
function Since({ at, isCount }: { at: string; isCount: boolean }) {
  const now = Date.now();
  if (isCount) return <>as of {nearTime(at, now)}</>;
  return Date.parse(at) > now ? <>{fullTime(at)}</> : <Time at={at} />;
}
