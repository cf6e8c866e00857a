import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icons.tsx';

interface FieldProps {
  label: string;
  /** what may stand here, in one line */
  hint?: ComponentChildren;
  /** what is wrong with it and what to do */
  wrong?: ComponentChildren;
}

interface Wired {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

/** A label, its control, and below it what is wrong or what may stand there; `control` gets the ids that tie them together. */
export function Field({
  label,
  hint,
  wrong,
  control,
}: FieldProps & { control: (wired: Wired) => ComponentChildren }) {
  const id = useId();
  const isDescribed = wrong !== undefined || hint !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        'aria-describedby': isDescribed ? `${id}-more` : undefined,
        'aria-invalid': wrong === undefined ? undefined : 'true',
      })}
      <FieldNote id={`${id}-more`} hint={hint} wrong={wrong} />
    </div>
  );
}

function FieldNote({ id, hint, wrong }: { id: string } & Pick<FieldProps, 'hint' | 'wrong'>) {
  if (wrong !== undefined) {
    return (
      <div class="wrong" id={id} role="alert">
        <Icon name="warning" />
        {wrong}
      </div>
    );
  }
  return hint === undefined ? null : (
    <div class="hint" id={id}>
      {hint}
    </div>
  );
}

interface InputProps extends FieldProps {
  value: string;
  onText: (text: string) => void;
  /** a path, a host, a pattern: no corrections, fixed width */
  isCode?: boolean;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search';
  name?: string;
  autocomplete?: string;
  placeholder?: string;
  /** id of a datalist */
  list?: string;
  required?: boolean;
  autofocus?: boolean;
  disabled?: boolean;
  minLength?: number | undefined;
}

export function TextField({ label, hint, wrong, value, onText, isCode, type, ...attributes }: InputProps) {
  // Preact's types tell inputs apart by the literal of their type; here any of them will do.
  const typed: object = { type: type ?? 'text', ...attributes };
  return (
    <Field
      label={label}
      hint={hint}
      wrong={wrong}
      control={(wired) => (
        <input
          {...(isCode && { spellcheck: false, autocapitalize: 'off', autocomplete: 'off' })}
          {...typed}
          {...wired}
          class={isCode ? 'input mono' : 'input'}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    />
  );
}

export function TextArea({
  label,
  hint,
  wrong,
  value,
  onText,
  rows = 3,
  isCode = false,
}: FieldProps & { value: string; onText: (text: string) => void; rows?: number; isCode?: boolean }) {
  return (
    <Field
      label={label}
      hint={hint}
      wrong={wrong}
      control={(wired) => (
        <textarea
          {...wired}
          class={isCode ? 'input mono' : 'input'}
          rows={rows}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    />
  );
}

export function SelectField<Value extends string>({
  label,
  hint,
  wrong,
  value,
  options,
  onChoose,
  disabled = false,
}: FieldProps & {
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
  disabled?: boolean;
}) {
  return (
    <Field
      label={label}
      hint={hint}
      wrong={wrong}
      control={(wired) => (
        <Select {...wired} value={value} options={options} onChoose={onChoose} disabled={disabled} />
      )}
    />
  );
}

/** A native select: known to every reader and every keyboard. */
export function Select<Value extends string>({
  value,
  options,
  onChoose,
  ...attributes
}: {
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
} & Partial<Wired> & { disabled?: boolean; 'aria-label'?: string }) {
  return (
    <select
      {...attributes}
      class="input"
      value={value}
      onChange={(event) => {
        const chosen = options.find(([each]) => each === event.currentTarget.value);
        if (chosen) onChoose(chosen[0]);
      }}
    >
      {options.map(([each, text]) => (
        <option key={each} value={each} selected={each === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function Check({
  label,
  hint,
  checked,
  onCheck,
  disabled = false,
}: {
  label: ComponentChildren;
  hint?: string;
  checked: boolean;
  onCheck: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span class="muted small"> {hint}</span>}
      </span>
    </label>
  );
}
