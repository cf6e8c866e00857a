import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { type Inbox, redirectPath } from './actions.ts';

/** Form for the target of an unmatched path. */
export function TargetForm({ inbox, missing, onClose }: { inbox: Inbox; missing: MissingPath; onClose: () => void }) {
  const target = useSignal(missing.suggestions[0]?.new_path ?? '');
  const status = useSignal(301);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), []);
  const hasTarget = statusHasTarget(status.value);
  const isFilled = !hasTarget || target.value.trim() !== '';
  const { error, isBusy, submit } = useSubmit(
    async () => {
      const newPath = hasTarget ? target.value.trim() : null;
      await redirectPath(inbox, missing, { new_path: newPath, status_code: status.value });
    },
    { isReady: isFilled },
  );
  const targetError = error.value?.issueOf('new_path');
  return (
    <form ref={form} class="target-form" onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      {hasTarget && (
        <TextField
          label="To"
          isCode
          value={target.value}
          onText={(text) => (target.value = text)}
          placeholder="/new-path"
          error={targetError}
        />
      )}
      <SelectField
        label="Status"
        value={status.value}
        options={STATUS_CODES.map((code) => [code, String(code)] as const)}
        onChoose={(code) => (status.value = code)}
      />
      <div class="actions">
        <Button kind="primary" type="submit" disabled={!isFilled || isBusy.value}>
          Create redirect
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {error.value && targetError === undefined && <Problem error={error.value} />}
    </form>
  );
}
