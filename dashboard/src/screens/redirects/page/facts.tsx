import type { ComponentChildren } from 'preact';
import { fetchRedirectHits } from '../../../api/analytics.ts';
import type { Hits as HitReport, Redirect } from '../../../api/client/wire.ts';
import { listRedirects } from '../../../api/redirects.ts';
import { STATES } from '../../../checks/states.ts';
import { counted, dayOf, number, shortDay } from '../../../format.ts';
import { query } from '../../../router.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { planHas } from '../../../state/session.ts';
import { Loaded } from '../../../ui/page/states.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { peakOf, SparkLine } from '../../../ui/spark-line.tsx';
import { Time } from '../../../ui/text/time.tsx';
import { environmentIn } from '../../../urls.ts';
import { DeadEnd } from '../edit/living-pages.tsx';
import { SkipSteps } from '../edit/trial-preview.tsx';
import type { DraftState } from '../edit/use-draft.ts';
import { pageUrl } from '../open-page.ts';
import { HIT_DAYS } from '../view.ts';

/** The facts about a redirect: hits, the state of its target, and the redirects that lead to it. */
export function Facts({ redirect, state }: { redirect: Redirect; state: DraftState }) {
  return (
    <div class="redirect-facts small">
      {planHas('analytics') && <Hits redirect={redirect} />}
      {redirect.new_path !== null && <Target redirect={redirect} state={state} />}
      {!redirect.is_regex && <LeadsHere redirect={redirect} />}
    </div>
  );
}

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div class="stack gap-1">{children}</div>
    </section>
  );
}

function Hits({ redirect: { id, website_id: websiteId, last_hit_at: lastHitAt } }: { redirect: Redirect }) {
  const environment = environmentIn(query.value);
  const report = useResource(`hits-of:${id}:${environment}`, (signal) =>
    fetchRedirectHits(String(id), { environment, period: `${HIT_DAYS}d`, limit: 1 }, signal),
  );
  return (
    <Fact title="Hits">
      <Loaded of={report} lines={2}>
        {({ daily_hits: days }) => (
          <>
            <HitLine days={days.toReversed()} />
            <p>
              {counted(
                days.reduce((sum, { hits }) => sum + hits, 0),
                'hit',
              )}{' '}
              in {environment} in the last {HIT_DAYS} days
              {lastHitAt !== undefined && (
                <span class="muted">
                  , {lastHitAt === null ? 'never used' : 'last hit '}
                  {lastHitAt !== null && <Time at={lastHitAt} />}
                </span>
              )}
              . <a href={`/websites/${websiteId}/analytics?redirect=${id}&environment=${environment}`}>Analytics</a>
            </p>
          </>
        )}
      </Loaded>
    </Fact>
  );
}

/** The line with its first, highest and last day; each day has its hits under the pointer. */
function HitLine({ days }: { days: HitReport['daily_hits'] }) {
  const peak = peakOf(days);
  if (peak.hits === 0) return null;
  return (
    <>
      <SparkLine days={days}>
        {days.map(({ date, hits }, at) => (
          <rect key={date} x={at - 0.5} width="1" height="1" fill="transparent">
            <title>{`${dayOf(date)}: ${counted(hits, 'hit')}`}</title>
          </rect>
        ))}
      </SparkLine>
      <p class="hit-axis muted">
        <span>{shortDay(days[0]?.date ?? '')}</span>
        <span>
          Most: {number(peak.hits)} on {shortDay(peak.date)}
        </span>
        <span>Today</span>
      </p>
    </>
  );
}

/** Redirects that are listed. */
const MAX_SOURCES = 10;

function LeadsHere({ redirect: { website_id: websiteId, old_path: path } }: { redirect: Redirect }) {
  const found = useResource(`leads-to:${websiteId}:${path}`, (signal) =>
    listRedirects({ website_id: websiteId, new_path: path }, { limit: MAX_SOURCES }, signal),
  );
  return (
    <Fact title="Leads here">
      <Loaded of={found} lines={1}>
        {({ redirects, next_cursor: more }) => (
          <>
            {redirects.length === 0 && <p class="muted">None</p>}
            <ul class="stack gap-1">
              {redirects.map(({ id, old_path: from, status_code: status }) => (
                <li key={id} class="break">
                  <a class="mono" href={pageUrl(websiteId, id)}>
                    <WrappedPath path={from} />
                  </a>{' '}
                  <span class="muted">{status}</span>
                </li>
              ))}
            </ul>
            {more !== null && (
              <a href={`/websites/${websiteId}/redirects?q=${encodeURIComponent(path)}`}>
                All redirects with this path
              </a>
            )}
          </>
        )}
      </Loaded>
    </Fact>
  );
}

function Target({ redirect, state: form }: { redirect: Redirect; state: DraftState }) {
  const { website_id: websiteId, target_state: state, target_checked_at: checkedAt } = redirect;
  const trial = form.isTouched ? null : form.check?.trial;
  return (
    <Fact title="Target">
      <p class="row wrap">
        {state ? (
          <>
            <span class={`badge ${STATES[state].tone}`} title={STATES[state].help}>
              {STATES[state].label}
            </span>
            {checkedAt && (
              <span class="muted">
                Checked <Time at={checkedAt} />
              </span>
            )}
          </>
        ) : (
          <span class="muted">No live check since it was set.</span>
        )}
        {trial?.final_page === 'living' && <span>A living page.</span>}
        <a href={`/websites/${websiteId}/checks`}>Checks</a>
        {trial && <SkipSteps state={form} trial={trial} />}
      </p>
      {trial && <DeadEnd state={form} trial={trial} />}
    </Fact>
  );
}
