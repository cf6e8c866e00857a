import type { Webhook } from '../../api/wire.ts';
import { fullTime, number } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { mayChange } from './access.ts';
import { HealthBadge } from './health.tsx';

/** How the receiver fares, in numbers and times. */
export function Facts({ webhook, onActivate }: { webhook: Webhook; onActivate: () => void }) {
  const { last_success_at: last, failing_since: since, previous_secret_until: overlap } = webhook;
  return (
    <>
      {webhook.deactivated_reason !== null && webhook.deactivated_reason !== 'user' && (
        <SwitchedOff webhook={webhook} onActivate={onActivate} />
      )}
      <dl class="card facts">
        <div>
          <dt>State</dt>
          <dd>
            <HealthBadge webhook={webhook} />
          </dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>{number(webhook.pending)}</dd>
        </div>
        <div>
          <dt>Last delivered</dt>
          <dd>{last === null ? 'never' : <Time at={last} />}</dd>
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
            <dt>Secret before</dt>
            <dd>counts until {fullTime(overlap)}</dd>
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

function SwitchedOff({ webhook, onActivate }: { webhook: Webhook; onActivate: () => void }) {
  const why =
    webhook.deactivated_reason === 'gone'
      ? 'the receiver answered 410, so it wants nothing more'
      : 'nothing but failures came of it for 8 days';
  return (
    <Notice>
      Switched off by the service
      {webhook.deactivated_at !== null && (
        <>
          {' '}
          <Time at={webhook.deactivated_at} />
        </>
      )}
      : {why}. Its events are collected meanwhile.{mayChange() && ' Send a test, then switch it on. '}
      {mayChange() && (
        <Button size="small" onClick={onActivate}>
          Switch on
        </Button>
      )}
    </Notice>
  );
}
