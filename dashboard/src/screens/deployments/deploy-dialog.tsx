import { type Signal, useSignal } from '@preact/signals';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Problem } from '../../ui/states.tsx';

/** An action that waits for its note. */
export interface DeployRequest {
  title: string;
  verb: string;
  text: string;
  send: (note: string) => Promise<void>;
}

/** Asks for the optional note of a deployment, rollback or promotion; Enter sends it. */
export function DeployDialog({ asked }: { asked: Signal<DeployRequest | undefined> }) {
  const request = asked.value;
  if (!request) return null;
  const close = (): void => void (asked.value = undefined);
  return <NoteForm key={request.title} request={request} onClose={close} />;
}

function NoteForm({ request, onClose }: { request: DeployRequest; onClose: () => void }) {
  const { title, verb, text, send } = request;
  const note = useSignal('');
  return (
    <FormDialog
      title={title}
      verb={verb}
      onSend={async () => {
        await send(note.value);
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>{text}</p>
          <TextField
            label="Note"
            hint="Optional, at most 500 characters. The history shows it."
            error={error?.issueOf('note')}
            value={note.value}
            onText={(value) => (note.value = value)}
            autofocus
          />
          {error && error.issueOf('note') === undefined && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}
