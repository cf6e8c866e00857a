import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { capitalized } from '../../format.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';

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
      <FieldError id={`${id}-more`} error={error} />
      {error === undefined && hint !== undefined && (
        <div class="hint" id={`${id}-more`}>
          {hint}
        </div>
      )}
    </div>
  );
}

/** The error below a field. */
export function FieldError({ id, error }: { id?: string; error: ComponentChildren }) {
  if (error === undefined) return null;
  return (
    <div class="wrong" id={id} role="alert">
      <Icon name="warning" />
      {typeof error === 'string' ? capitalized(error) : error}
    </div>
  );
}

/** Attributes of a text input. */
export interface TextInput {
  /** a path, a host or a pattern: monospace, without spellcheck */
  isCode?: boolean;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search';
  name?: string;
  autocomplete?: string;
  inputMode?: 'numeric' | 'email';
  placeholder?: string;
  onFocus?: () => void;
  /** id of a datalist */
  list?: string;
  required?: boolean;
  autofocus?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  minLength?: number | undefined;
  /** when an error appears here, the whole text is selected, so that the next letter replaces it */
  selectedAt?: object | undefined;
}

interface Texted extends FieldProps {
  value: string;
  onText: (text: string) => void;
}

const ShowButton = ({ isShown }: { isShown: Signal<boolean> }) => (
  <Button
    aria-label={isShown.value ? 'Hide password' : 'Show password'}
    onClick={() => (isShown.value = !isShown.value)}
  >
    {isShown.value ? 'Hide' : 'Show'}
  </Button>
);

/** A line of text. A password can be shown. */
export function TextField({
  label,
  hint,
  error,
  value,
  onText,
  isCode,
  type = 'text',
  selectedAt,
  ...attributes
}: Texted & TextInput) {
  const isPassword = type === 'password';
  const isShown = useSignal(false);
  // Preact's types depend on the literal `type`; `object` accepts any of them.
  const typed: object = { type: isShown.value ? 'text' : type, ...attributes };
  const input = useRef<HTMLInputElement>(null);
  // Browsers ignore the attribute if a link has the focus. Dialogs give it the focus themselves.
  useLayoutEffect(() => {
    if (attributes.autofocus && !input.current?.closest('dialog')) input.current?.focus();
  }, []);
  useLayoutEffect(() => {
    if (!selectedAt) return;
    input.current?.focus();
    input.current?.select();
  }, [selectedAt]);
  return (
    <Field
      {...{ label, hint, error }}
      control={(wired) => (
        <div class={isPassword ? 'row' : undefined}>
          <input
            {...((isCode || isPassword) && { spellcheck: false, autocapitalize: 'off' })}
            {...(isCode && { autocomplete: 'off', dir: 'ltr' })}
            {...typed}
            {...wired}
            ref={input}
            class={isCode ? 'input mono' : 'input'}
            value={value}
            onInput={(event) => onText(event.currentTarget.value)}
          />
          {isPassword && <ShowButton isShown={isShown} />}
        </div>
      )}
    />
  );
}

export function TextArea({
  value,
  onText,
  rows = 3,
  isCode = false,
  ...field
}: Texted & { rows?: number; isCode?: boolean }) {
  return (
    <Field
      {...field}
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

/** For `onKeyDown` of a form, its field or its dialog: Ctrl+Enter submits the form, also from a text of several lines. */
export function submitOnCtrlEnter(event: KeyboardEvent): void {
  const { currentTarget: target } = event;
  // A field inside of a form that has it too.
  if (event.defaultPrevented || event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  if (target instanceof Element) (target.querySelector('form') ?? target.closest('form'))?.requestSubmit();
}

export type Options<Value> = readonly (readonly [value: Value, label: string])[];

interface Chosen<Value> {
  value: Value;
  options: Options<Value>;
  onChoose: (value: Value) => void;
  disabled?: boolean;
}

type Choice = string | number | boolean;

export const SelectField = <Value extends Choice>({ label, hint, error, ...select }: FieldProps & Chosen<Value>) => (
  <Field {...{ label, hint, error }} control={(wired) => <Select {...wired} {...select} />} />
);

export function Select<Value extends Choice>({
  value,
  options,
  onChoose,
  isSet,
  ...attributes
}: Chosen<Value> & Partial<ControlAttributes> & { 'aria-label'?: string; isSet?: boolean }) {
  return (
    <select
      {...attributes}
      class="input"
      data-set={isSet}
      value={String(value)}
      onChange={(event) => {
        const chosen = options.find(([each]) => String(each) === event.currentTarget.value);
        // The value, not the choice, says what is shown.
        event.currentTarget.value = String(value);
        if (chosen) onChoose(chosen[0]);
      }}
    >
      {options.map(([each, text]) => (
        <option key={each} value={String(each)} selected={each === value}>
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

/** A choice of which all options are visible, each with a hint. */
export function Radios<Value extends string>({
  legend,
  value,
  options,
  onChoose,
  children,
}: {
  legend: string;
  value: Value;
  /** `isDisabled`: cannot be chosen; the hint says why */
  options: readonly (readonly [value: Value, label: string, hint?: string | undefined, isDisabled?: boolean])[];
  onChoose: (value: Value) => void;
  children?: ComponentChildren;
}) {
  const name = useId();
  return (
    <fieldset class="field radios">
      <legend>{legend}</legend>
      {options.map(([each, label, hint, isDisabled]) => (
        <label key={each} class="check">
          <input
            type="radio"
            name={name}
            checked={each === value}
            disabled={isDisabled}
            onChange={() => onChoose(each)}
          />
          <span>
            {label} {hint !== undefined && <span class="muted small">{hint}</span>}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}
