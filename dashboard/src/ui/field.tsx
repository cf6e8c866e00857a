import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { capitalized } from '../format.ts';
import { Icon } from './icons.tsx';

export interface FieldProps {
  label: string;
  /** one line about the allowed values */
  hint?: ComponentChildren;
  /** the error, and what to do */
  error?: ComponentChildren;
}

interface ControlAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

/** A label, a control, and below it the error or the hint. `control` receives the ids that connect them. */
export function Field({
  label,
  hint,
  error,
  control,
}: FieldProps & { control: (wired: ControlAttributes) => ComponentChildren }) {
  const id = useId();
  const isDescribed = error !== undefined || hint !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        'aria-describedby': isDescribed ? `${id}-more` : undefined,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
      <FieldNote id={`${id}-more`} hint={hint} error={error} />
    </div>
  );
}

function FieldNote({ id, hint, error }: { id: string } & Pick<FieldProps, 'hint' | 'error'>) {
  if (error !== undefined) {
    return (
      <div class="wrong" id={id} role="alert">
        <Icon name="warning" />
        {typeof error === 'string' ? capitalized(error) : error}
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
  /** a path, a host or a pattern: monospace, without spellcheck */
  isCode?: boolean;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search';
  name?: string;
  autocomplete?: string;
  inputMode?: 'numeric';
  placeholder?: string;
  onFocus?: () => void;
  /** id of a datalist */
  list?: string;
  required?: boolean;
  autofocus?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  minLength?: number | undefined;
}

export function TextField({ label, hint, error, value, onText, isCode, type, ...attributes }: InputProps) {
  // Preact's types depend on the literal `type`; `object` accepts any of them.
  const typed: object = { type: type ?? 'text', ...attributes };
  const input = useRef<HTMLInputElement>(null);
  // Browsers ignore the attribute if a link has the focus. Dialogs give it the focus themselves.
  useLayoutEffect(() => {
    if (attributes.autofocus && !input.current?.closest('dialog')) input.current?.focus();
  }, []);
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(wired) => (
        <input
          {...(isCode && { spellcheck: false, autocapitalize: 'off', autocomplete: 'off' })}
          {...typed}
          {...wired}
          ref={input}
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
  error,
  value,
  onText,
  rows = 3,
  isCode = false,
}: FieldProps & { value: string; onText: (text: string) => void; rows?: number; isCode?: boolean }) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
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
  error,
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
      error={error}
      control={(wired) => <Select {...wired} value={value} options={options} onChoose={onChoose} disabled={disabled} />}
    />
  );
}

export function Select<Value extends string>({
  value,
  options,
  onChoose,
  ...attributes
}: {
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
} & Partial<ControlAttributes> & { disabled?: boolean; 'aria-label'?: string }) {
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
