import { deleteWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { go } from '../../router.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { mayChange } from './access.ts';
import { EditWebhook } from './edit-webhook.tsx';
import { ReplayWebhook } from './replay-webhook.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { TestWebhook } from './test-webhook.tsx';

/** The dialog in the URL. */
export function WebhookDialog({
  name,
  webhook,
  show,
  onClose,
}: {
  name: string | null;
  webhook: Webhook;
  show: (changed: Webhook) => void;
  onClose: () => void;
}) {
  if (name === 'delete') return <DeleteWebhook webhook={webhook} onClose={onClose} />;
  if (!mayChange()) return null;
  if (name === 'edit') return <EditWebhook webhook={webhook} show={show} onClose={onClose} />;
  if (name === 'rotate') return <RotateSecret webhook={webhook} show={show} onClose={onClose} />;
  if (name === 'replay' && webhook.is_active) return <ReplayWebhook webhook={webhook} onClose={onClose} />;
  return name === 'test' ? <TestWebhook webhook={webhook} onClose={onClose} /> : null;
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  return (
    <Confirm
      title={`Delete ${webhook.name}?`}
      verb="Delete webhook"
      onConfirm={async () => {
        await deleteWebhook(webhook.id);
        go('/webhooks');
        toast(`${webhook.name} deleted`);
      }}
      onClose={onClose}
    >
      Its secret and delivery log are deleted, and pending deliveries are not sent. This cannot be undone. To pause the
      webhook, disable it instead.
    </Confirm>
  );
}
