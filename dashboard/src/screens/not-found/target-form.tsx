import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import type { MissingPath } from '../../api/wire.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { type Inbox, redirectPath } from './actions.ts';

/** Where the path is to lead; Enter creates the redirect. */
export function TargetForm({
  inbox,
  missing,
  onClose,
}: {
  inbox: Inbox;
  missing: MissingPath;
  onClose: () => void;
}) {
  const target = useSignal(missing.suggestions[0]?.new_path ?? '');
  const status = useSignal<string>('301');
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), []);
  const hasTarget = statusHasTarget(Number(status.value));
  const isReady = !isBusy.value && (!hasTarget || target.value.trim() !== '');
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!isReady) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      const newPath = hasTarget ? target.value.trim() : null;
      await redirectPath(inbox, missing, { new_path: newPath, status_code: Number(status.value) });
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  const wrong = error.value?.issueOf('new_path');
  return (
    <form
      ref={form}
      class="target-form"
      onSubmit={(event) => void submit(event)}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      {hasTarget && (
        <TextField
          label="To"
          isCode
          value={target.value}
          onText={(text) => (target.value = text)}
          placeholder="/where/it/is/now"
          wrong={wrong}
        />
      )}
      <SelectField
        label="Status"
        value={status.value}
        options={STATUS_CODES.map((code) => [String(code), String(code)] as const)}
        onChoose={(code) => (status.value = code)}
      />
      <FormActions isReady={isReady} onClose={onClose} />
      {error.value && wrong === undefined && <Problem error={error.value} />}
    </form>
  );
}

function FormActions({ isReady, onClose }: { isReady: boolean; onClose: () => void }) {
  return (
    <div class="actions">
      <Button kind="primary" type="submit" disabled={!isReady}>
        Create redirect
      </Button>
      <Button kind="quiet" onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}
