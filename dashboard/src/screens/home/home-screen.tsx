import './home.css';
import type { Website, WebsiteFigures } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit, planHas } from '../../state/session.ts';
import { overview } from '../../state/overview.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Loaded, Skeleton } from '../../ui/page/states.tsx';
import { lastDays, SparkLine } from '../../ui/spark-line.tsx';
import { LastChange, weekHits } from './figures.tsx';
import { NeedList } from './need-list.tsx';
import { isStarting, StartPath } from './start-path.tsx';

/** The things of a website that need attention, and the figures of the week. */
export function HomeScreen({ website }: { website: Website }) {
  const found = overview.value;
  const openNew = (): void => go(`/websites/${website.id}/redirects?new=/`);
  useKeys(mayEdit.value ? [{ keys: 'n', label: 'New redirect', run: openNew }] : []);
  return (
    <Page
      title={website.name}
      lead={website.hosts.map(({ hostname }) => hostname).join(', ') || 'No host yet'}
      actions={
        mayEdit.value && (
          <Button icon="plus" keys="N" onClick={openNew}>
            New redirect
          </Button>
        )
      }
    >
      {found ? (
        <Loaded of={found} lines={6} height={28}>
          {({ items, item_count: count, websites: figures }) => (
            <>
              {isStarting(website, figures[0]) && <StartPath website={website} figures={figures[0]} />}
              <NeedList items={items} count={count} isQuiet={isStarting(website, figures[0])} />
              {figures[0] && <Week figures={figures[0]} />}
            </>
          )}
        </Loaded>
      ) : (
        <Skeleton lines={6} height={28} />
      )}
    </Page>
  );
}

function Week({ figures }: { figures: WebsiteFigures }) {
  const { website_id: id, redirects, hits, hits_before: before, not_found: missing } = figures;
  return (
    <section class="stack gap-3" aria-labelledby="week">
      <h2 id="week">The last 7 days</h2>
      <dl class="stack gap-3 tiles">
        <div class="card">
          <dt class="muted">Redirects</dt>
          <dd class="value">
            <a href={`/websites/${id}/redirects`}>{number(redirects)}</a>
          </dd>
          <dd class="small muted">
            <LastChange {...figures} />
          </dd>
        </div>
        {planHas('analytics') && (
          <>
            <div class="card">
              <dt class="muted">Hits</dt>
              <dd class="value">
                <a href={`/websites/${id}/analytics?period=7d`}>{number(weekHits(figures))}</a>
              </dd>
              <dd class="small muted">{number(before)} in the 7 days before</dd>
              <dd>
                <SparkLine days={lastDays(hits)} />
              </dd>
            </div>
            <div class="card">
              <dt class="muted">Not found</dt>
              <dd class="value">
                <a href={`/websites/${id}/not-found`}>{number(missing)}</a>
              </dd>
              <dd class="small muted">{counted(missing, 'request')} without a redirect</dd>
            </div>
          </>
        )}
      </dl>
    </section>
  );
}
