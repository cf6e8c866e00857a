import { EVENT_KINDS } from '../../../../src/vocabulary/event.ts';
import { listDeliveries } from '../../api/webhooks.ts';
import type { Delivery, Webhook } from '../../api/wire.ts';
import { capitalized, counted } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { usePages } from '../../state/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ROW, useRows } from '../../ui/use-rows.ts';
import { mayChange } from './access.ts';
import { KIND_LABELS, stateLabel, STATE_LABELS } from './labels.ts';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;
const KEYS = [{ keys: 'Enter', label: 'Open the delivery' }];
const FILTERS = ['pending', 'sending', 'delivered', 'failed'] as const;

/** Deliveries of a webhook, newest first. */
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
            options={[['', 'Any state'], ...FILTERS.map((each) => [each, STATE_LABELS[each][1]] as const)]}
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
      {rows?.length === 0 && (isFiltered ? <NoMatch /> : <NoDeliveries />)}
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

function NoDeliveries() {
  return (
    <Empty
      icon="webhooks"
      title="No deliveries yet"
      actions={mayChange() && <Button onClick={() => setQuery({ do: 'test' })}>Send test</Button>}
    >
      Events of the selected types appear here, with every attempt.
    </Empty>
  );
}

function NoMatch() {
  return (
    <Empty
      icon="search"
      title="No matching deliveries"
      actions={<Button onClick={() => setQuery({ state: undefined, event: undefined })}>Clear filters</Button>}
    />
  );
}

function Row({ delivery, isActive }: { delivery: Delivery; isActive: boolean }) {
  const [tone, word] = stateLabel(delivery, isActive);
  const kind = KIND_LABELS[delivery.kind];
  return (
    <li {...ROW}>
      <span>
        <span class={`badge ${tone}`}>{word}</span>
      </span>
      <a class="break" href={deliveryUrl(delivery)} data-key="Enter">
        <code>{delivery.event}</code>
        {delivery.subject !== null && (
          <span class="mono delivery-subject">
            <PathText path={delivery.subject} />
          </span>
        )}
        {kind !== '' && <span class="small muted"> {kind}</span>}
      </a>
      <span class="small muted break">{outcomeOf(delivery)}</span>
      <span class="small muted when">
        <Time at={delivery.created_at} />
      </span>
    </li>
  );
}

function deliveryUrl({ webhook_id, id }: Delivery): string {
  const next = new URLSearchParams(query.value);
  next.set('delivery', id);
  return `/webhooks/${webhook_id}?${next.toString()}`;
}

/** The last response, and the number of attempts if there were several. */
function outcomeOf({ last_status: status, last_error: error, attempt_count: count, state }: Delivery): string {
  const attempts = count > 1 ? `, ${counted(count, 'attempt')}` : '';
  if (state === 'delivered') return status === null ? '' : `${status}${attempts}`;
  return error === null ? '' : `${capitalized(error)}${attempts}`;
}
