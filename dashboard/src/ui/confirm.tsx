import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { TextField } from './form/field.tsx';
import { FormDialog } from './form/form-dialog.tsx';
import { OwnPassword } from './form/own-password.tsx';
import { Problem } from './page/states.tsx';

/**
 * Asks before an action that cannot be undone. `typed`: a text that the user must type first, for large deletions.
 * `asksPassword`: the action needs the user's password.
 */
export function Confirm({
  typed,
  asksPassword = false,
  onConfirm,
  children,
  ...dialog
}: Pick<Parameters<typeof FormDialog>[0], 'title' | 'verb' | 'onClose'> & {
  typed?: string | undefined;
  asksPassword?: boolean;
  onConfirm: (password: string) => Promise<void>;
  children: ComponentChildren;
}) {
  const text = useSignal('');
  const password = useSignal('');
  return (
    <FormDialog
      {...dialog}
      kind="danger"
      isDisposable
      isReady={(typed === undefined || text.value.trim() === typed) && (!asksPassword || password.value !== '')}
      onSend={async () => {
        await onConfirm(password.value);
        dialog.onClose();
      }}
    >
      {(error) => (
        <>
          <div>{children}</div>
          {typed !== undefined && (
            <TextField
              label={`Type ${typed} to confirm`}
              value={text.value}
              onText={(value) => (text.value = value)}
              isCode
            />
          )}
          {asksPassword ? (
            <OwnPassword password={password} error={error} autofocus={typed === undefined} />
          ) : (
            error && <Problem error={error} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** A card with the button of a deletion that `children` confirms. */
export function DangerZone({
  title,
  text,
  verb,
  children,
}: {
  title: string;
  text: string;
  verb: string;
  children: (close: () => void) => ComponentChildren;
}) {
  const isAsking = useSignal(false);
  return (
    <section class="card danger-zone">
      <div>
        <h2>{title}</h2>
        <p class="muted">{text}</p>
      </div>
      <Button kind="danger" icon="trash" onClick={() => (isAsking.value = true)}>
        {verb}
      </Button>
      {isAsking.value && children(() => (isAsking.value = false))}
    </section>
  );
}
