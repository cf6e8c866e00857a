import type { ComponentChildren } from 'preact';
import { EVENT_KINDS } from '../../../../src/vocabulary/kinds.ts';
import { listDeliveries } from '../../api/webhooks.ts';
import type { Delivery, Webhook } from '../../api/client/wire.ts';
import { capitalized, counted } from '../../format.ts';
import { query, setQuery, urlWith } from '../../router.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { mayChange } from './webhook-form.tsx';
import { KIND_LABELS, stateLabel, STATE_LABELS } from './labels.ts';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;
const KEYS = [{ keys: 'Enter', label: 'Open the delivery' }];
const FILTERS = ['pending', 'sending', 'delivered', 'failed'] as const;
const STATES = [['', 'Any state'], ...FILTERS.map((each) => [each, STATE_LABELS[each][1]] as const)] as const;
const EVENTS = [['', 'Any event'], ...EVENT_KINDS.map((kind) => [kind, kind] as const)] as const;

/** Deliveries of a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const state = FILTERS.find((each) => each === query.value.get('state'));
  const event = EVENT_KINDS.find((each) => each === query.value.get('event'));
  const pages = usePages(
    `deliveries:${webhook.id}:${state ?? ''}:${event ?? ''}`,
    (cursor, signal) => listDeliveries(webhook.id, { state, event, cursor, limit: PAGE_SIZE }, signal),
    ({ deliveries }) => deliveries,
    { everyMs: REFRESH_MS },
  );
  return (
    <ResourceList
      list={pages}
      title="Deliveries"
      aside={
        <div class="filter-bar">
          <QuerySelect label="State" name="state" value={state ?? ''} options={STATES} />
          <QuerySelect label="Event" name="event" value={event ?? ''} options={EVENTS} />
        </div>
      }
      keys={KEYS}
      class="delivery-list"
      keyOf={({ id }) => id}
      cells={(delivery) => <Cells delivery={delivery} isActive={webhook.is_active} />}
      empty={<Nothing isFiltered={state !== undefined || event !== undefined} />}
    />
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    const clear = (): void => setQuery({ state: undefined, event: undefined });
    return (
      <Empty icon="search" title="No matching deliveries" actions={<Button onClick={clear}>Clear filters</Button>} />
    );
  }
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

function Cells({ delivery, isActive }: { delivery: Delivery; isActive: boolean }) {
  const kind = KIND_LABELS[delivery.kind];
  return (
    <DeliveryCells delivery={delivery} isActive={isActive}>
      <a class="break" href={urlWith({ delivery: delivery.id })} data-key="Enter">
        <code>{delivery.event}</code>
        {delivery.subject !== null && (
          <span class="mono muted delivery-subject">
            <PathText path={delivery.subject} />
          </span>
        )}
        {kind !== '' && <span class="small muted"> {kind}</span>}
      </a>
    </DeliveryCells>
  );
}

type Sent = Pick<Delivery, 'state' | 'attempt_count' | 'last_status' | 'last_error' | 'created_at'>;

/** The state of a delivery, `children` for what it sends, its last response, and its time. */
export function DeliveryCells({
  delivery,
  isActive,
  children,
}: {
  delivery: Sent;
  isActive: boolean;
  children: ComponentChildren;
}) {
  const [tone, word] = stateLabel(delivery, isActive);
  return (
    <>
      <span>
        <span class={`badge ${tone}`}>{word}</span>
      </span>
      {children}
      <span class="small muted break">{outcomeOf(delivery)}</span>
      <span class="small muted when">
        <Time at={delivery.created_at} />
      </span>
    </>
  );
}

/** The last response, and the number of attempts if there were several. */
function outcomeOf({ last_status: status, last_error: error, attempt_count: count, state }: Sent): string {
  const attempts = count > 1 ? `, ${counted(count, 'attempt')}` : '';
  if (state === 'delivered') return status === null ? '' : `${status}${attempts}`;
  return error === null ? '' : `${capitalized(error)}${attempts}`;
}
