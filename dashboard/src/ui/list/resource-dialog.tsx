import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { FormDialog } from '../form/form-dialog.tsx';
import { type FieldTable, FormFields, isFilled } from '../form/form-fields.tsx';

type DialogProps = Omit<Parameters<typeof FormDialog>[0], 'onSend' | 'children' | 'isReady' | 'verb'>;

/**
 * Creates or changes a resource with the fields of a table. Closes after `onSend`, or shows what that returns, such as
 * a secret, in its place.
 */
export function ResourceDialog<Draft>({
  start,
  fields,
  verb,
  isReady = () => true,
  onSend,
  children,
  ...dialog
}: DialogProps & {
  start: Draft;
  fields: FieldTable<Draft>;
  verb: string | ((draft: Draft) => string);
  /** default: each required field is filled */
  isReady?: (draft: Draft) => boolean;
  onSend: (draft: Draft) => Promise<ComponentChildren | void>;
  /** above the fields */
  children?: ComponentChildren;
}) {
  const draft = useSignal(start);
  const outcome = useSignal<ComponentChildren>(undefined);
  if (outcome.value) return <>{outcome.value}</>;
  return (
    <FormDialog
      {...dialog}
      verb={typeof verb === 'string' ? verb : verb(draft.value)}
      isReady={isFilled(fields, draft.value) && isReady(draft.value)}
      onSend={async () => {
        const shown = await onSend(draft.value);
        if (shown) outcome.value = shown;
        else dialog.onClose();
      }}
    >
      {(error) => (
        <>
          {children}
          <FormFields
            fields={fields}
            draft={draft.value}
            onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
            error={error}
          />
        </>
      )}
    </FormDialog>
  );
}
