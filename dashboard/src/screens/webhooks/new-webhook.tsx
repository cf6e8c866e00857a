import { useSignal } from '@preact/signals';
import { createWebhook, type WebhookFields as Fields } from '../../api/webhooks.ts';
import type { SecretWebhook } from '../../api/wire.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretOnce } from './secret-once.tsx';
import { isFilled, WebhookFields } from './webhook-fields.tsx';

const START: Fields = { name: '', url: '', events: ['deployment.completed', 'deployment.failed'] };

/** Asks for a receiver, and shows its secret once it is registered. */
export function NewWebhook({
  onCreated,
  onClose,
}: {
  /** when its secret was taken */
  onCreated: (webhook: SecretWebhook) => void;
  onClose: () => void;
}) {
  const fields = useSignal<Fields>(START);
  const created = useSignal<SecretWebhook | undefined>(undefined);
  const webhook = created.value;
  if (webhook) {
    return (
      <SecretOnce
        title="Webhook created"
        secret={webhook.secret}
        more="Send a test when the receiver has it."
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
      {(error) => (
        <WebhookFields fields={fields.value} onChange={(next) => (fields.value = next)} error={error} />
      )}
    </FormDialog>
  );
}
