import { useSignal } from '@preact/signals';
import { rotateSecret } from '../../api/webhooks.ts';
import type { SecretWebhook, Webhook } from '../../api/wire.ts';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretOnce } from './secret-once.tsx';

const OVERLAPS = [
  ['86400', 'For one more day'],
  ['3600', 'For one more hour'],
  ['604800', 'For one more week'],
  ['0', 'No longer: it leaked'],
] as const;

/** A new secret, with a time in which the one before counts too. */
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
    const more =
      overlap.value === '0'
        ? 'The one before counts no longer.'
        : 'Until the one before runs out, what is sent is signed with both.';
    return <SecretOnce title="The new secret" secret={rotated.value.secret} more={more} onDone={onClose} />;
  }
  return (
    <FormDialog
      title="Rotate secret"
      verb="Rotate secret"
      onSend={async () => {
        const answer = await rotateSecret(webhook.id, { overlap_seconds: Number(overlap.value) });
        const { secret: _, ...shown } = answer.webhook;
        show(shown);
        rotated.value = answer.webhook;
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <SelectField
            label="The secret of today counts"
            value={overlap.value}
            options={OVERLAPS}
            onChoose={(value) => (overlap.value = value)}
            hint="Within that time, give the new one to the receiver, and nothing is lost."
          />
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}
