import { updateWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/client/wire.ts';
import { mayAs, planHas } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';

/** Only owners see webhooks, because their URLs may contain secrets. */
export const maySee = (): boolean => mayAs('owner');

/** Creating, changing and sending need the plan; reading and deleting do not. */
export const mayChange = (): boolean => maySee() && planHas('webhooks');

const ENABLED = 'Webhook enabled. Pending deliveries are sent.';
const DISABLED = 'Webhook disabled. Pending deliveries are on hold.';

/** Enables or disables a webhook, with Undo. */
export async function setActive({ id }: Webhook, isActive: boolean, show: (changed: Webhook) => void): Promise<void> {
  try {
    const { webhook } = await updateWebhook(id, { is_active: isActive });
    show(webhook);
    toast(isActive ? ENABLED : DISABLED, {
      label: 'Undo',
      run: () => void setActive(webhook, !isActive, show),
    });
  } catch (thrown) {
    toastError(thrown, isActive ? 'Could not enable the webhook' : 'Could not disable the webhook');
  }
}
