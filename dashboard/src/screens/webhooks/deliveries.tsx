import type { ComponentChildren } from 'preact';
import { EVENT_KINDS } from '../../../../src/vocabulary/kinds.ts';
import { listDeliveries, replayWebhook } from '../../api/webhooks.ts';
import type { Delivery, ListedDelivery, Webhook } from '../../api/client/wire.ts';
import { capitalized, counted, fullTime, nearTime, number } from '../../format.ts';
import { query, setQuery, urlWith } from '../../router.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { toast } from '../../state/toasts.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { QueryDays, startOfDay } from '../../ui/form/query-days.tsx';
import { QuerySelect, QueryToken } from '../../ui/form/query-fields.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { mayChange } from './webhook-form.tsx';
import { eventName, KIND_LABELS, stateLabel, STATE_LABELS } from './labels.ts';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;
const KEYS = [{ keys: 'Enter', label: 'Open the delivery' }];
const FILTERS = ['pending', 'sending', 'delivered', 'failed'] as const;
const STATES = [['', 'Any state'], ...FILTERS.map((each) => [each, STATE_LABELS[each][1]] as const)] as const;
const NAMES = ['state', 'event', 'since', 'until'] as const;
const EVENTS = [['', 'Any event'], ...EVENT_KINDS.map((kind) => [kind, eventName(kind)] as const)] as const;

/** The group of the URL: the cursor that it begins with, and its last id. */
function openGroup(): { cursor: string; firstId: string } | undefined {
  const [, cursor, firstId] = /^(whd_\d+)\.(whd_\d+)$/.exec(query.value.get('group') ?? '') ?? [];
  return cursor !== undefined && firstId !== undefined ? { cursor, firstId } : undefined;
}

const numberOf = (id: string): number => Number(id.slice('whd_'.length));

/** Deliveries of a webhook, newest first; those that were queued together are one row, which opens them. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const state = FILTERS.find((each) => each === query.value.get('state'));
  const event = EVENT_KINDS.find((each) => each === query.value.get('event'));
  const group = openGroup();
  const [since, until] = [startOfDay(query.value.get('since')), startOfDay(query.value.get('until'), 1)];
  const pages = usePages(
    JSON.stringify(['deliveries', webhook.id, state, event, group?.cursor, since, until]),
    async (cursor = group?.cursor, signal) => {
      const filters = { state, event, since, until, cursor, limit: PAGE_SIZE, grouped: group === undefined };
      const page = await listDeliveries(webhook.id, filters, signal);
      const found = page.deliveries.filter(({ id }) => !group || numberOf(id) >= numberOf(group.firstId));
      return { deliveries: found, next_cursor: found.length < page.deliveries.length ? null : page.next_cursor };
    },
    ({ deliveries }) => deliveries,
    { everyMs: REFRESH_MS },
  );
  return (
    <ResourceList
      list={pages}
      title="Deliveries"
      headings={['State', 'Event', 'Response', 'Time']}
      aside={
        <FilterBar names={NAMES} search={group && <QueryToken name="group" label="Queued together" />}>
          <QuerySelect label="State" name="state" value={state ?? ''} options={STATES} />
          <QuerySelect label="Event" name="event" value={event ?? ''} options={EVENTS} />
          <QueryDays />
        </FilterBar>
      }
      keys={KEYS}
      class="delivery-list"
      keyOf={({ id }) => id}
      cells={(delivery) =>
        (delivery.group?.count ?? 1) > 1 ? (
          <GroupCells delivery={delivery} webhook={webhook} />
        ) : (
          <Cells delivery={delivery} isActive={webhook.is_active} />
        )
      }
      empty={<Nothing isFiltered={NAMES.some((name) => query.value.has(name))} />}
    />
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    const clear = (): void => setQuery(Object.fromEntries(NAMES.map((name) => [name, undefined])));
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

/** Deliveries of one change, with a line for each answer. */
function GroupCells({ delivery, webhook }: { delivery: ListedDelivery; webhook: Webhook }) {
  const { event, kind, group, created_at: at } = delivery;
  if (!group) return null;
  const answers = group.answers.map((answer) => ({ ...answer, attempt_count: answer.is_attempted ? 1 : 0 }));
  const [first = delivery] = answers;
  const [tone, word] = stateLabel(first, webhook.is_active);
  const isOpen = answers.some(({ state }) => state === 'pending' || state === 'failed');
  async function retry(): Promise<void> {
    // The time of an event has whole seconds.
    const until = new Date(Date.parse(at) + 1_000).toISOString();
    const { count } = await replayWebhook(webhook.id, { since: at, until, state: 'failed' });
    toast(`${counted(count, 'delivery', 'deliveries')} due now`);
  }
  return (
    <>
      <span>
        <span class={`badge ${tone}`}>{word}</span>
      </span>
      <span class="stack gap-1">
        <a href={urlWith({ group: `${group.cursor}.${group.first_id}` })} data-key="Enter">
          {counted(group.count, 'event')} queued together
        </a>
        <span class="small muted">
          <span title={event}>{eventName(event)}</span> {KIND_LABELS[kind]}
        </span>
        {isOpen && kind === 'event' && webhook.is_active && mayChange() && (
          <span>
            <ActionButton size="small" failure="Could not retry" onAct={retry}>
              Retry now
            </ActionButton>
          </span>
        )}
      </span>
      <span class="stack gap-0 small muted break">
        {answers.map((answer) => {
          const [, label] = stateLabel(answer, webhook.is_active);
          const outcome = outcomeOf(answer);
          return (
            <span key={`${label} ${outcome}`}>
              {number(answer.count)} {label.toLowerCase()}
              {outcome && `: ${outcome}`}
            </span>
          );
        })}
        <NextAttempt of={delivery} isActive={webhook.is_active} />
      </span>
      <span class="small muted when">
        <Time at={at} />
      </span>
    </>
  );
}

function Cells({ delivery, isActive }: { delivery: Delivery; isActive: boolean }) {
  const kind = KIND_LABELS[delivery.kind];
  return (
    <DeliveryCells delivery={delivery} isActive={isActive}>
      <a class="break" href={urlWith({ delivery: delivery.id })} data-key="Enter">
        <span title={delivery.event}>{eventName(delivery.event)}</span>
        {delivery.subject !== null && (
          <span class="mono muted delivery-subject">
            <PathText path={delivery.subject} />
          </span>
        )}
        {delivery.redirect_count !== null && (
          <span class="muted delivery-subject">{counted(delivery.redirect_count, 'redirect')}</span>
        )}
        {kind !== '' && <span class="small muted"> {kind}</span>}
      </a>
    </DeliveryCells>
  );
}

type Sent = Pick<Delivery, 'state' | 'attempt_count' | 'last_status' | 'last_error' | 'next_attempt_at' | 'created_at'>;

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
      <span class="stack gap-0 small muted break">
        {outcomeOf(delivery)}
        <NextAttempt of={delivery} isActive={isActive} />
      </span>
      <span class="small muted when">
        <Time at={delivery.created_at} />
      </span>
    </>
  );
}

/** When a delivery that failed is sent again; nothing if it is due now. */
function NextAttempt({ of: { next_attempt_at: next }, isActive }: { of: Sent; isActive: boolean }) {
  const now = Date.now();
  if (next === null || !isActive || Date.parse(next) <= now) return null;
  return <span title={fullTime(next)}>Next attempt: {nearTime(next, now)}</span>;
}

/** The last response, and the number of attempts if there were several. */
function outcomeOf({
  last_status: status,
  last_error: error,
  attempt_count: count,
  state,
}: Omit<Sent, 'created_at' | 'next_attempt_at'>): string {
  // With no-break spaces.
  const attempts = count > 1 ? `, ${counted(count, 'attempt').replace(' ', '\u00A0')}` : '';
  if (state === 'delivered') return status === null ? '' : `${status}${attempts}`;
  return error === null ? '' : `${capitalized(error)}${attempts}`;
}
