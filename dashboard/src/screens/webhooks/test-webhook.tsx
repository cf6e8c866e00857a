import { useSignal } from '@preact/signals';
import type { EventKind } from '../../../../src/vocabulary/event.ts';
import { testWebhook } from '../../api/webhooks.ts';
import type { WebhookTest, Webhook } from '../../api/wire.ts';
import { duration } from '../../format.ts';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { REMEDIES } from './labels.ts';

/** Sends a body that looks like a real one, and shows what the receiver did with it. */
export function TestWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const event = useSignal<EventKind>(webhook.events[0] ?? 'redirect.created');
  const outcome = useSignal<WebhookTest | undefined>(undefined);
  return (
    <FormDialog
      title="Send a test"
      verb={outcome.value ? 'Send another test' : 'Send a test'}
      leave={outcome.value ? 'Close' : 'Cancel'}
      onSend={async () => {
        outcome.value = undefined;
        outcome.value = await testWebhook(webhook.id, { event: event.value });
      }}
      onClose={onClose}
    >
      {(error, isBusy) => (
        <>
          <SelectField
            label="Event"
            value={event.value}
            options={webhook.events.map((kind) => [kind, kind] as const)}
            onChoose={(kind) => (event.value = kind)}
            hint="The body looks like a real one, and its data has test: true."
          />
          {error && <Problem error={error} />}
          <div role="status" class="test-outcome">
            {isBusy && 'Waiting for the receiver, 15 seconds at most…'}
            {!isBusy && outcome.value && <Outcome outcome={outcome.value} webhook={webhook} />}
          </div>
        </>
      )}
    </FormDialog>
  );
}

function Outcome({ outcome, webhook }: { outcome: WebhookTest; webhook: Webhook }) {
  const { delivered, status, duration_ms: ms, error, response_body: body } = outcome;
  return (
    <>
      <p>
        <span class={`badge ${delivered ? 'ok' : 'danger'}`}>
          {delivered ? 'Delivered' : 'Not delivered'}
        </span>{' '}
        {status !== null && `Answered ${status} `}after {duration(ms)}.
      </p>
      {error !== null && (
        <p class="break">
          <strong>{error}.</strong> {REMEDIES[outcome.outcome] ?? ''}
        </p>
      )}
      {body !== null && body !== '' && (
        <pre class="code-block" tabIndex={0}>
          {body}
        </pre>
      )}
      <a href={`/webhooks/${webhook.id}?delivery=${outcome.delivery_id}`}>What was sent</a>
    </>
  );
}
