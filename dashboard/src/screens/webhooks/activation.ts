import { updateWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';

/** Switches a webhook on or off; each way takes back the other. */
export async function setActive(
  { id }: Webhook,
  isActive: boolean,
  show: (changed: Webhook) => void,
): Promise<void> {
  try {
    const { webhook } = await updateWebhook(id, { is_active: isActive });
    show(webhook);
    toast(isActive ? 'Switched on: what was held is sent' : 'Switched off: what waits is held', {
      label: 'Undo',
      run: () => void setActive(webhook, !isActive, show),
    });
  } catch (thrown) {
    toastError(thrown, isActive ? 'Switching on' : 'Switching off');
  }
}
