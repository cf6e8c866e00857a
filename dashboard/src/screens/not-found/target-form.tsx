import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { submitOnCtrlEnter } from '../../ui/form/field.tsx';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { type Inbox, redirectPath } from './actions.ts';

const FIELDS: FieldTable<{ new_path: string; status_code: number }> = [
  {
    name: 'new_path',
    label: 'To',
    isCode: true,
    required: true,
    placeholder: '/new-path',
    isShown: ({ status_code: code }) => statusHasTarget(code),
  },
  { name: 'status_code', label: 'Status', options: STATUS_CODES.map((code) => [code, String(code)] as const) },
];

interface Props {
  inbox: Inbox;
  missing: MissingPath;
  /** with which the form starts */
  target: string;
  onClose: () => void;
}

export function TargetForm({ inbox, missing, target, onClose }: Props) {
  const draft = useSignal({ new_path: target, status_code: 301 });
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), []);
  const isReady = isFilled(FIELDS, draft.value);
  const { error, isBusy, submit } = useSubmit(
    () => {
      const { new_path: path, status_code: code } = draft.value;
      const newPath = statusHasTarget(code) ? path.trim() : null;
      return redirectPath(inbox, missing, { new_path: newPath, status_code: code });
    },
    { isReady },
  );
  return (
    <form
      ref={form}
      class="stack gap-3 top target-form"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
        submitOnCtrlEnter(event);
      }}
    >
      <FormFields
        fields={FIELDS}
        draft={draft.value}
        onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
        error={error.value}
      />
      <div class="actions">
        <Button kind="primary" type="submit" disabled={!isReady} isBusy={isBusy.value}>
          Create redirect
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
