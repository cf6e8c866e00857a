import './upcoming.css';
import { writes } from '../../../api/client/client.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { listRedirects } from '../../../api/redirects.ts';
import { DAY_MS, number, timeOfDay, timeZone } from '../../../format.ts';
import { query, urlWith } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { useOnChange, useResource } from '../../../state/resource/use-resource.ts';
import { ActionButton } from '../../../ui/button.tsx';
import { Tabs } from '../../../ui/page/tabs.tsx';
import { Empty, Loaded } from '../../../ui/page/states.tsx';
import { removeBound } from '../../../ui/scheduled-redirect.tsx';
import { PathText } from '../../../ui/text/path-text.tsx';
import { reviewUrl } from '../../../urls.ts';
import { LiveIn } from '../live-in.tsx';
import { openId, pageUrl } from '../open-page.ts';
import { Calendar } from './calendar.tsx';
import { byDay, type Change, changesIn, dayIn, isoDay, mondayOf, periodAfter, startOf, undeployedIn } from './days.ts';

const DAYS = 30;
/** One page of the list; more starts and ends than that are not planned by hand. */
const MAX_REDIRECTS = 1_000;

/** The redirects that start or end in the next 30 days, by day, or in five weeks of the calendar. */
export function Upcoming({ websiteId }: { websiteId: number }) {
  const given = dayIn(query.value.get('from'));
  const monday = given && mondayOf(given);
  const open = monday && dayIn(query.value.get('day'));
  const found = useResource(`upcoming:${websiteId}:${monday ?? ''}`, async (signal) => {
    const now = Date.now();
    const before = monday === undefined ? now + DAYS * DAY_MS : startOf(periodAfter(monday, 1)).getTime();
    const filter = { website_id: websiteId, schedule_before: new Date(before).toISOString() };
    const { redirects, next_cursor: more } = await listRedirects(filter, { limit: MAX_REDIRECTS }, signal);
    const from = monday === undefined ? now : Math.max(now, startOf(monday).getTime());
    return { changes: changesIn(redirects, from, before), hasMore: more !== null };
  });
  useOnChange(writes.value, found.reload);
  return (
    <div class="page upcoming stack gap-5">
      {/* Tabs scroll, so their row alone would shrink to nothing. */}
      <div>
        <Tabs
          label="Upcoming as"
          tabs={[
            { label: `Next ${DAYS} days`, href: urlWith({ from: undefined, day: undefined }), isCurrent: !monday },
            {
              label: 'Calendar',
              href: urlWith({ from: monday ?? mondayOf(isoDay(new Date())), day: open }),
              isCurrent: monday !== undefined,
            },
          ]}
        />
      </div>
      {/* Stays while other weeks load, and with it the focus. */}
      {monday && <Calendar monday={monday} open={open} changes={found.data.value?.changes ?? []} />}
      <Loaded of={found} lines={6}>
        {({ changes, hasMore }) => (
          <>
            {changes.length === 0 && (
              <Empty icon="redirects" title="Nothing starts or ends">
                No redirect of this website starts or ends in this period. Set a schedule on the page of a redirect.
              </Empty>
            )}
            {byDay(changes.filter(({ at }) => open === undefined || isoDay(new Date(at)) === open)).map((each) => (
              <Day key={each.day} {...each} />
            ))}
            {hasMore && (
              <p class="small">
                Only the newest {number(MAX_REDIRECTS)} redirects are shown. The filter Schedule of the list has all.
              </p>
            )}
            {changes.length > 0 && <p class="small muted">Times are in your time zone, {timeZone()}.</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Day({ day, changes }: { day: string; changes: readonly Change[] }) {
  return (
    <section aria-label={day}>
      <h2>{day}</h2>
      <ul>
        {changes.map((change) => (
          <li key={`${change.kind} ${change.redirect.id}`}>
            <time dateTime={new Date(change.at).toISOString()}>{timeOfDay(change.at)}</time>
            <span class={`badge ${!change.isLive ? '' : change.kind === 'starts' ? 'ok' : 'warn'}`}>{change.kind}</span>
            <Effect change={change} />
            <span class="row gap-1">
              <LiveIn redirect={change.redirect} hasSchedule={false} />
            </span>
            {mayEdit.value && <RemoveBound change={change} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Starts a redirect now, or lets it go on. Rows follow each write. */
const RemoveBound = ({ change: { redirect, kind } }: { change: Change }) => (
  <ActionButton
    size="small"
    failure="Could not change the schedule"
    onAct={() =>
      removeBound(
        { id: redirect.id, websiteId: redirect.website_id },
        kind === 'starts' ? 'active_from' : 'active_until',
      )
    }
  >
    {kind === 'starts' ? 'Start now' : 'Remove end'}
  </ActionButton>
);

function Effect({ change: { redirect, isLive } }: { change: Change }) {
  const {
    id,
    website_id: websiteId,
    old_path: from,
    new_path: to,
    is_regex: isPattern,
    status_code: status,
  } = redirect;
  return (
    <>
      <span class="row wrap">
        <a class="mono" href={pageUrl(websiteId, id)} aria-current={openId.value === String(id) ? 'page' : undefined}>
          <PathText path={from} isPattern={isPattern} />
        </a>
        {!isLive && <NotDeployed redirect={redirect} />}
      </span>
      <span class="muted">{status}</span>
      <span class="mono muted">{to !== null && <PathText path={to} />}</span>
    </>
  );
}

/** Without a deployment nothing happens at the time; a draft has its mark. */
function NotDeployed({ redirect }: { redirect: Redirect }) {
  const environment = undeployedIn(redirect);
  if (environment === undefined) return null;
  return (
    <span class="small muted">
      only after a deployment{' '}
      {mayEdit.value && <a href={reviewUrl(redirect.website_id, environment, { action: 'deploy' })}>Review</a>}
    </span>
  );
}
