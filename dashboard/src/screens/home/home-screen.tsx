import './home.css';
import type { Need, Website, WebsiteFigures } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit, planHas } from '../../state/session.ts';
import { overview } from '../../state/overview.ts';
import { hostNeeds, shownLines } from '../../state/shown-needs.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Loaded, Skeleton } from '../../ui/page/states.tsx';
import { lastDays, SparkLine } from '../../ui/spark-line.tsx';
import { LastChange, weekHits } from './figures.tsx';
import { useHostNeeds } from './host-needs.ts';
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
              <Needs website={website} items={items} count={count} figures={figures[0]} />
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

/** The first steps stand first unless something waits for the user. */
function Needs(props: {
  website: Website;
  items: readonly Need[];
  count: number;
  figures: WebsiteFigures | undefined;
}) {
  const { website, items, count, figures } = props;
  useHostNeeds(website);
  const found = [...items, ...hostNeeds.value.filter(({ website_id: id }) => id === String(website.id))];
  const isLater = shownLines(found).length > 0;
  const isNew = isStarting(website, figures);
  const start = isNew && <StartPath key="start" website={website} figures={figures} />;
  return (
    <>
      {!isLater && start}
      <NeedList key="needs" items={found} count={count + found.length - items.length} isQuiet={isNew} />
      {isLater && start}
    </>
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
