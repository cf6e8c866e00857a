import { useSignal } from '@preact/signals';
import { updateWebhook, type WebhookFields as Fields } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { isFilled, WebhookFields } from './webhook-fields.tsx';

/** Changes name, URL and events; the secret stays. */
export function EditWebhook({
  webhook,
  show,
  onClose,
}: {
  webhook: Webhook;
  show: (changed: Webhook) => void;
  onClose: () => void;
}) {
  const before: Fields = { name: webhook.name, url: webhook.url, events: webhook.events };
  const fields = useSignal<Fields>(before);
  async function save(): Promise<void> {
    show((await updateWebhook(webhook.id, fields.value)).webhook);
    onClose();
    const undo = (): void =>
      void updateWebhook(webhook.id, before).then(
        (result) => show(result.webhook),
        (thrown: unknown) => toastError(thrown, 'Could not undo'),
      );
    toast('Saved', { label: 'Undo', run: undo });
  }
  return (
    <FormDialog title="Edit webhook" verb="Save" isReady={isFilled(fields.value)} onSend={save} onClose={onClose}>
      {(error) => <WebhookFields fields={fields.value} onChange={(next) => (fields.value = next)} error={error} />}
    </FormDialog>
  );
}
