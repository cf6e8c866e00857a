import { useSignal } from '@preact/signals';
import { createWebhook, type WebhookFields as Fields } from '../../api/webhooks.ts';
import type { SecretWebhook } from '../../api/wire.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { isFilled, WebhookFields } from './webhook-fields.tsx';

const START: Fields = { name: '', url: '', events: ['deployment.completed', 'deployment.failed'] };

/** Creates a webhook, then shows its secret once. */
export function NewWebhook({
  onCreated,
  onClose,
}: {
  /** called when the user closes the secret */
  onCreated: (webhook: SecretWebhook) => void;
  onClose: () => void;
}) {
  const fields = useSignal<Fields>(START);
  const created = useSignal<SecretWebhook | undefined>(undefined);
  const webhook = created.value;
  if (webhook) {
    return (
      <WebhookSecret
        title="Webhook created"
        secret={webhook.secret}
        more="Then send a test."
        onDone={() => onCreated(webhook)}
      />
    );
  }
  return (
    <FormDialog
      title="New webhook"
      verb="Create webhook"
      isReady={isFilled(fields.value)}
      onSend={async () => {
        created.value = (await createWebhook(fields.value)).webhook;
      }}
      onClose={onClose}
    >
      {(error) => <WebhookFields fields={fields.value} onChange={(next) => (fields.value = next)} error={error} />}
    </FormDialog>
  );
}
