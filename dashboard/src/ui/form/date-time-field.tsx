import { isoTime, localTime } from '../../format.ts';
import { IconButton } from '../button.tsx';
import { Field, type FieldProps } from './field.tsx';

/** A time in the user's time zone, with a button that clears it. `value`: an ISO time, or '' for none. */
export function DateTimeField({
  value,
  onChange,
  ...field
}: FieldProps & { value: string; onChange: (iso: string) => void }) {
  const local = localTime(value);
  return (
    <Field
      {...field}
      control={(wired) => (
        <span class="row gap-1 shrink">
          <input
            {...wired}
            class="input"
            type="datetime-local"
            // Stored times may have seconds, which browsers reject and hide by default.
            step={local.length > 16 ? 1 : 60}
            value={local}
            onInput={(event) => onChange(isoTime(event.currentTarget.value))}
          />
          {value !== '' && (
            <IconButton size="small" label={`Clear: ${field.label}`} icon="close" onClick={() => onChange('')} />
          )}
        </span>
      )}
    />
  );
}
