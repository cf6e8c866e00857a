import { useSignal } from '@preact/signals';
import { confirmTotp, turnOffTotp } from '../../api/session.ts';
import type { NewTotp } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { FormError } from '../../ui/page/states.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { QrCode } from './qr-code.tsx';

/** Shows the secret for the app, and turns two-factor sign-in on with a first code. */
export function SetUpTotp(props: { totp: NewTotp; onOn: (recoveryCodes: string[]) => void; onClose: () => void }) {
  const { totp, onOn, onClose } = props;
  const code = useSignal('');
  return (
    <FormDialog
      isDisposable
      title="Set up two-factor sign-in"
      verb="Turn on"
      isReady={/^\d{6}$/.test(code.value.replaceAll(' ', ''))}
      onSend={async () => onOn((await confirmTotp(code.value)).recovery_codes)}
      onClose={onClose}
    >
      {(error) => (
        <>
          <ol class="fields">
            <li class="stack gap-3">
              <p>
                Scan the code with an authenticator app. On this device, <a href={totp.otpauth_url}>open the app</a> or
                copy the secret.
              </p>
              <QrCode text={totp.otpauth_url} label="QR code for your authenticator app" />
              <CopyField label="Secret" text={totp.secret} isFocused={false} />
            </li>
            <li class="stack gap-3">
              <p>Enter the code that the app shows now.</p>
              <TextField
                label="Six-digit code"
                name="code"
                autocomplete="one-time-code"
                inputMode="numeric"
                autofocus
                value={code.value}
                onText={(text) => (code.value = text)}
                error={error?.issueOf('code') && 'Not the current code. Check that the clock of the device is right.'}
              />
            </li>
          </ol>
          <FormError error={error} fields={['code']} />
        </>
      )}
    </FormDialog>
  );
}

/** The recovery codes, shown once. */
export function RecoveryCodes({
  title = 'Two-factor sign-in is on',
  codes,
  onDone,
}: {
  title?: string;
  codes: string[];
  onDone: () => void;
}) {
  return (
    <OneTimeSecret
      title={title}
      label="Recovery codes"
      text={codes.join('\n')}
      rows={codes.length}
      fileName="detour-recovery-codes.txt"
      onDone={onDone}
    >
      <p>
        Each code signs you in once if you lose the app. Save them where you find them without this device, such as a
        password manager or on paper. They are shown only once.
      </p>
    </OneTimeSecret>
  );
}

/** Turns two-factor sign-in off with the password. */
export function TurnOffTotp({ onOff, onClose }: { onOff: () => void; onClose: () => void }) {
  return (
    <Confirm
      title="Turn off two-factor sign-in?"
      verb="Turn off"
      asksPassword
      onConfirm={async (password) => {
        await turnOffTotp(password);
        onOff();
        toast('Two-factor sign-in is off');
      }}
      onClose={onClose}
    >
      <p>Signing in then needs only your password. The recovery codes are deleted.</p>
    </Confirm>
  );
}
