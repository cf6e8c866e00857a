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

/** The dialog that the address asks for. */
export function WebhookDialog({
  what,
  webhook,
  show,
  onClose,
}: {
  what: string | null;
  webhook: Webhook;
  show: (changed: Webhook) => void;
  onClose: () => void;
}) {
  if (what === 'delete') return <DeleteWebhook webhook={webhook} onClose={onClose} />;
  if (!mayChange()) return null;
  if (what === 'edit') return <EditWebhook webhook={webhook} show={show} onClose={onClose} />;
  if (what === 'rotate') return <RotateSecret webhook={webhook} show={show} onClose={onClose} />;
  if (what === 'replay' && webhook.is_active) return <ReplayWebhook webhook={webhook} onClose={onClose} />;
  return what === 'test' ? <TestWebhook webhook={webhook} onClose={onClose} /> : null;
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  return (
    <Confirm
      title={`Delete ${webhook.name}?`}
      verb="Delete webhook"
      onConfirm={async () => {
        await deleteWebhook(webhook.id);
        go('/webhooks');
        toast(`${webhook.name} is deleted`);
      }}
      onClose={onClose}
    >
      Its secret and its log go with it, and what waits is not sent. This cannot be undone; to pause it,
      switch it off.
    </Confirm>
  );
}
