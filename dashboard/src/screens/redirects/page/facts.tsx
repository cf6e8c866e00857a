import type { ComponentChildren } from 'preact';
import { fetchRedirectHits } from '../../../api/analytics.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { listRedirects } from '../../../api/redirects.ts';
import { STATES } from '../../../checks/states.ts';
import { counted } from '../../../format.ts';
import { query } from '../../../router.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { planHas } from '../../../state/session.ts';
import { Loaded } from '../../../ui/page/states.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { SparkLine } from '../../../ui/spark-line.tsx';
import { Time } from '../../../ui/text/time.tsx';
import { environmentIn } from '../../../urls.ts';
import { pageUrl } from '../open-page.ts';
import { HIT_DAYS } from '../view.ts';

/** The facts about a redirect: hits, the redirects that lead to it, and the state of its target. */
export function Facts({ redirect }: { redirect: Redirect }) {
  return (
    <>
      {planHas('analytics') && <Hits redirect={redirect} />}
      {!redirect.is_regex && <LeadsHere redirect={redirect} />}
      {redirect.new_path !== null && <Target redirect={redirect} />}
    </>
  );
}

/** Hits and target in a line before the form; the sections below it have more. */
export function Glance({ redirect: { hits, last_hit_at: last, target_state: state } }: { redirect: Redirect }) {
  if (hits === undefined && !state) return null;
  return (
    <p class="row wrap small muted">
      {hits !== undefined && (
        <span>
          {counted(hits, 'hit')} in {HIT_DAYS} days
          {last && (
            <>
              , last <Time at={last} />
            </>
          )}
        </span>
      )}
      {state && (
        <span>
          Target <span class={`badge ${STATES[state].tone}`}>{STATES[state].label}</span>
        </span>
      )}
    </p>
  );
}

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack gap-1 small" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Hits({ redirect: { id, website_id: websiteId, last_hit_at: lastHitAt } }: { redirect: Redirect }) {
  const environment = environmentIn(query.value);
  const report = useResource(`hits-of:${id}:${environment}`, (signal) =>
    fetchRedirectHits(String(id), { environment, period: `${HIT_DAYS}d`, limit: 1 }, signal),
  );
  return (
    <Fact title={`Hits in ${environment}`}>
      <Loaded of={report} lines={2}>
        {({ daily_hits: days }) => (
          <>
            <SparkLine days={days.toReversed()} />
            <p>
              {counted(
                days.reduce((sum, { hits }) => sum + hits, 0),
                'hit',
              )}{' '}
              in the last {HIT_DAYS} days
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

/** Redirects that are listed. */
const MAX_SOURCES = 10;

function LeadsHere({ redirect: { website_id: websiteId, old_path: path } }: { redirect: Redirect }) {
  const found = useResource(`leads-to:${websiteId}:${path}`, (signal) =>
    listRedirects({ website_id: websiteId, new_path: path }, { limit: MAX_SOURCES }, signal),
  );
  return (
    <Fact title="Redirects to here">
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

function Target({ redirect }: { redirect: Redirect }) {
  const { website_id: websiteId, target_state: state, target_checked_at: checkedAt } = redirect;
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
          <span class="muted">Not checked since it was set.</span>
        )}
        <a href={`/websites/${websiteId}/checks`}>Checks</a>
      </p>
    </Fact>
  );
}
