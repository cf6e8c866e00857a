import { OneTimeSecret } from '../../ui/one-time-secret.tsx';

/** The recovery codes, shown once. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <OneTimeSecret
      title="Two-factor sign-in is on"
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
