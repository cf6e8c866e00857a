import type { ComponentChildren } from 'preact';
import { replayWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/client/wire.ts';
import { counted, fullTime, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { mayChange } from './webhook-form.tsx';
import { eventName, healthOf } from './labels.ts';

type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ webhook, onActivate }: { webhook: Webhook; onActivate: () => void }) {
  const { last_success_at: last, failing_since: since, previous_secret_until: overlap } = webhook;
  const [tone, health] = healthOf(webhook);
  const facts: Fact[] = [
    ['State', <span class={`badge ${tone}`}>{health}</span>],
    ['Pending', <Pending webhook={webhook} />],
    ['Last delivery', last === null ? 'Never' : <Time at={last} />],
    ...(since === null ? [] : [['Failing since', <Time at={since} />] as const]),
    ...(overlap === null ? [] : [['Previous secret', `valid until ${fullTime(overlap)}`] as const]),
  ];
  return (
    <>
      {webhook.deactivated_reason !== null && webhook.deactivated_reason !== 'user' && (
        <DisabledNotice webhook={webhook} onActivate={onActivate} />
      )}
      {webhook.is_active && webhook.fail_streak > 0 && (
        <Notice>
          Deliveries do not arrive. Open one below: its last answer says what to fix. Each is retried for 8 days; then
          the webhook is disabled. Once the receiver works, <strong>Retry now</strong> sends all that wait.
        </Notice>
      )}
      <FactList facts={facts}>
        <div class="whole">
          <dt class="small muted">Events</dt>
          <dd class="row-facts">
            {webhook.events.map((event) => (
              <span key={event} title={event}>
                {eventName(event)}
              </span>
            ))}
          </dd>
        </div>
      </FactList>
    </>
  );
}

/** A card with named values. */
export function FactList({ facts, children }: { facts: readonly Fact[]; children?: ComponentChildren }) {
  return (
    <dl class="card stack gap-4 facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="small muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

/** The number of pending deliveries, and a button that makes those due now that wait for a retry. */
function Pending({ webhook: { id, pending, is_active: isActive, created_at: since } }: { webhook: Webhook }) {
  async function retry(): Promise<void> {
    const { count } = await replayWebhook(id, { since, state: 'waiting' });
    toast(count === 0 ? 'No delivery waits for a retry' : `${counted(count, 'delivery', 'deliveries')} due now`);
  }
  return (
    <span class="actions">
      {number(pending)}
      {pending > 0 && isActive && mayChange() && (
        <ActionButton size="small" failure="Could not retry" onAct={retry}>
          Retry now
        </ActionButton>
      )}
    </span>
  );
}

function DisabledNotice({ webhook, onActivate }: { webhook: Webhook; onActivate: () => void }) {
  const reason =
    webhook.deactivated_reason === 'gone'
      ? 'the receiver responded with 410 (Gone)'
      : 'every delivery failed for 8 days';
  return (
    <Notice>
      Disabled by the service
      {webhook.deactivated_at !== null && (
        <>
          {' '}
          <Time at={webhook.deactivated_at} />
        </>
      )}
      : {reason}. New events are queued.{mayChange() && ' Send a test, then enable the webhook. '}
      {mayChange() && (
        <Button size="small" onClick={onActivate}>
          Enable
        </Button>
      )}
    </Notice>
  );
}
