import { useSignal } from '@preact/signals';
import type { EventKind } from '../../../../src/vocabulary/kinds.ts';
import { testWebhook } from '../../api/webhooks.ts';
import type { WebhookTest, Webhook } from '../../api/client/wire.ts';
import { duration } from '../../format.ts';
import { SelectField } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { CodeBlock } from './delivery-panel.tsx';
import { eventName, REMEDIES } from './labels.ts';

export function TestWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const event = useSignal<EventKind>(webhook.events[0] ?? 'redirect.created');
  const outcome = useSignal<WebhookTest | undefined>(undefined);
  return (
    <FormDialog
      isDisposable
      title="Send test"
      verb={outcome.value ? 'Send another test' : 'Send test'}
      cancelLabel={outcome.value ? 'Close' : 'Cancel'}
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
            options={webhook.events.map((kind) => [kind, eventName(kind)] as const)}
            onChoose={(kind) => (event.value = kind)}
            hint="Sends a sample event with test: true in its data."
          />
          {error && <Problem error={error} />}
          <div role="status" class="stack top test-outcome">
            {isBusy && 'Waiting for the receiver (up to 15 seconds)…'}
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
        <span class={`badge ${delivered ? 'ok' : 'danger'}`}>{delivered ? 'Delivered' : 'Not delivered'}</span>{' '}
        {status === null ? 'No response' : `Responded with ${status}`} after {duration(ms)}.
      </p>
      {error !== null && (
        <p class="break">
          <strong>{error}.</strong> {REMEDIES[outcome.outcome] ?? ''}
        </p>
      )}
      {body !== null && body !== '' && <CodeBlock>{body}</CodeBlock>}
      <a href={`/webhooks/${webhook.id}?delivery=${outcome.delivery_id}`}>View delivery</a>
    </>
  );
}
