import { EVENT_KINDS } from '../../../../src/vocabulary/event.ts';
import { listDeliveries } from '../../api/webhooks.ts';
import type { Delivery, Webhook } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { usePages } from '../../state/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ROW, useRows } from '../../ui/use-rows.ts';
import { mayChange } from './access.ts';
import { KINDS, stateOf, STATES } from './labels.ts';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;
const KEYS = [{ keys: 'Enter', label: 'Open the delivery' }];
const FILTERS = ['pending', 'sending', 'delivered', 'failed'] as const;

/** What was sent and what waits, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const state = FILTERS.find((each) => each === query.value.get('state'));
  const event = EVENT_KINDS.find((each) => each === query.value.get('event'));
  const pages = usePages(
    `deliveries:${webhook.id}:${state ?? ''}:${event ?? ''}`,
    async (cursor, signal) => {
      const page = { state, event, cursor, limit: PAGE_SIZE };
      const { deliveries, next_cursor: next } = await listDeliveries(webhook.id, page, signal);
      return { rows: deliveries, next };
    },
    { everyMs: REFRESH_MS },
  );
  const rows = pages.rows.value;
  const list = useRows(KEYS);
  const isFiltered = state !== undefined || event !== undefined;
  return (
    <section class="card" aria-labelledby="deliveries" {...list}>
      <header class="delivery-head">
        <h2 id="deliveries">Deliveries</h2>
        <div class="filter-bar">
          <Select
            aria-label="State"
            value={state ?? ''}
            options={[['', 'Any state'], ...FILTERS.map((each) => [each, STATES[each][1]] as const)]}
            onChoose={(chosen) => setQuery({ state: chosen })}
          />
          <Select
            aria-label="Event"
            value={event ?? ''}
            options={[['', 'Any event'], ...EVENT_KINDS.map((kind) => [kind, kind] as const)]}
            onChoose={(chosen) => setQuery({ event: chosen })}
          />
        </div>
      </header>
      {pages.error.value && (
        <div class="body">
          <Problem error={pages.error.value} onRetry={pages.reload} />
        </div>
      )}
      {!rows && !pages.error.value && (
        <div class="body">
          <Skeleton lines={5} height={20} />
        </div>
      )}
      {rows?.length === 0 && (isFiltered ? <NoneOfThese /> : <NothingSent />)}
      {rows && rows.length > 0 && (
        <ul class="row-list delivery-list">
          {rows.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} isActive={webhook.is_active} />
          ))}
        </ul>
      )}
      <LoadMore pages={pages} />
    </section>
  );
}

function NothingSent() {
  return (
    <Empty
      icon="webhooks"
      title="Nothing was sent yet"
      actions={mayChange() && <Button onClick={() => setQuery({ do: 'test' })}>Send a test</Button>}
    >
      The next event of its kinds appears here, with every attempt.
    </Empty>
  );
}

function NoneOfThese() {
  return (
    <Empty
      icon="search"
      title="No such delivery"
      actions={<Button onClick={() => setQuery({ state: undefined, event: undefined })}>Show all</Button>}
    />
  );
}

function Row({ delivery, isActive }: { delivery: Delivery; isActive: boolean }) {
  const [tone, word] = stateOf(delivery, isActive);
  const kind = KINDS[delivery.kind];
  return (
    <li {...ROW}>
      <span>
        <span class={`badge ${tone}`}>{word}</span>
      </span>
      <a class="break" href={addressOf(delivery)} data-key="Enter">
        <code>{delivery.event}</code>
        {kind !== '' && <span class="small muted"> {kind}</span>}
      </a>
      <span class="small muted break">{outcomeOf(delivery)}</span>
      <span class="small muted when">
        <Time at={delivery.created_at} />
      </span>
    </li>
  );
}

function addressOf({ webhook_id, id }: Delivery): string {
  const next = new URLSearchParams(query.value);
  next.set('delivery', id);
  return `/webhooks/${webhook_id}?${next.toString()}`;
}

/** Its last answer; while it is tried again, when. */
function outcomeOf({
  last_status: status,
  last_error: error,
  attempt_count: count,
  state,
}: Delivery): string {
  const attempts = count > 1 ? `, ${counted(count, 'attempt')}` : '';
  if (state === 'delivered') return status === null ? '' : `${status}${attempts}`;
  return error === null ? '' : `${error}${attempts}`;
}
