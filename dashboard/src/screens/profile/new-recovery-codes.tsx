import { renewRecoveryCodes } from '../../api/session.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { UsernameField } from '../../ui/form/own-password.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { RecoveryCodes } from './set-up-totp.tsx';

const FIELDS: FieldTable<{ password: string; code: string }> = [
  {
    name: 'password',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    autofocus: true,
  },
  {
    name: 'code',
    label: 'Six-digit code',
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    required: true,
    hint: 'The current code of your authenticator app. Each counts once.',
  },
];

/** Replaces the recovery codes, with the password and a code, and shows the new ones once. */
export function NewRecoveryCodes({ onRenewed, onClose }: { onRenewed: () => void; onClose: () => void }) {
  return (
    <ResourceDialog
      isDisposable
      title="New recovery codes"
      verb="Replace codes"
      start={{ password: '', code: '' }}
      fields={FIELDS}
      onSend={async (draft) => {
        const { recovery_codes: codes } = await renewRecoveryCodes(draft);
        onRenewed();
        return <RecoveryCodes title="New recovery codes" codes={codes} onDone={onClose} />;
      }}
      onClose={onClose}
    >
      <p>You get ten new codes. The former ones stop working at once.</p>
      <UsernameField />
    </ResourceDialog>
  );
}
