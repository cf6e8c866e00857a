import { useSignal } from '@preact/signals';
import { replayWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { counted, fullTime, number } from '../../format.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { mayChange } from './access.ts';
import { HealthBadge } from './health.tsx';

/** Receiver health and settings. */
export function Facts({ webhook, onActivate }: { webhook: Webhook; onActivate: () => void }) {
  const { last_success_at: last, failing_since: since, previous_secret_until: overlap } = webhook;
  return (
    <>
      {webhook.deactivated_reason !== null && webhook.deactivated_reason !== 'user' && (
        <DisabledNotice webhook={webhook} onActivate={onActivate} />
      )}
      <dl class="card facts">
        <div>
          <dt>State</dt>
          <dd>
            <HealthBadge webhook={webhook} />
          </dd>
        </div>
        <div>
          <dt>Pending</dt>
          <dd class="actions">
            {number(webhook.pending)}
            {webhook.pending > 0 && webhook.is_active && mayChange() && <RetryNow webhook={webhook} />}
          </dd>
        </div>
        <div>
          <dt>Last delivery</dt>
          <dd>{last === null ? 'Never' : <Time at={last} />}</dd>
        </div>
        {since !== null && (
          <div>
            <dt>Failing since</dt>
            <dd>
              <Time at={since} />
            </dd>
          </div>
        )}
        {overlap !== null && (
          <div>
            <dt>Previous secret</dt>
            <dd>valid until {fullTime(overlap)}</dd>
          </div>
        )}
        <div class="wide">
          <dt>Events</dt>
          <dd class="event-names">
            {webhook.events.map((event) => (
              <code key={event}>{event}</code>
            ))}
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Makes deliveries that wait for a retry due now. */
function RetryNow({ webhook }: { webhook: Webhook }) {
  const isBusy = useSignal(false);
  async function retry(): Promise<void> {
    isBusy.value = true;
    try {
      const { count } = await replayWebhook(webhook.id, { since: webhook.created_at, state: 'waiting' });
      toast(count === 0 ? 'No delivery waits for a retry' : `${counted(count, 'delivery', 'deliveries')} due now`);
    } catch (thrown) {
      toastError(thrown, 'Could not retry');
    }
    isBusy.value = false;
  }
  return (
    <Button size="small" disabled={isBusy.value} onClick={() => void retry()}>
      Retry now
    </Button>
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
