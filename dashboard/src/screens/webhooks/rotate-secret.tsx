import { useSignal } from '@preact/signals';
import { rotateSecret } from '../../api/webhooks.ts';
import type { SecretWebhook, Webhook } from '../../api/wire.ts';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

const OVERLAPS = [
  ['86400', '1 day'],
  ['3600', '1 hour'],
  ['604800', '1 week'],
  ['0', 'Revoke it now'],
] as const;

/** Creates a new secret; the current one stays valid for the chosen time. */
export function RotateSecret({
  webhook,
  show,
  onClose,
}: {
  webhook: Webhook;
  show: (changed: Webhook) => void;
  onClose: () => void;
}) {
  const overlap = useSignal<(typeof OVERLAPS)[number][0]>('86400');
  const rotated = useSignal<SecretWebhook | undefined>(undefined);
  if (rotated.value) {
    const note =
      overlap.value === '0'
        ? 'The previous secret is no longer valid.'
        : 'Until the previous secret expires, deliveries are signed with both.';
    return <WebhookSecret title="New secret" secret={rotated.value.secret} more={note} onDone={onClose} />;
  }
  return (
    <FormDialog
      isDisposable
      title="Rotate secret"
      verb="Rotate secret"
      onSend={async () => {
        const response = await rotateSecret(webhook.id, { overlap_seconds: Number(overlap.value) });
        const { secret: _, ...shown } = response.webhook;
        show(shown);
        rotated.value = response.webhook;
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <SelectField
            label="Keep the current secret valid for"
            value={overlap.value}
            options={OVERLAPS}
            onChoose={(value) => (overlap.value = value)}
            hint="Update the receiver within this time, so that it accepts all deliveries."
          />
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}
