/** Forms as tables: the name, label, hint, error and input of a field are in one entry. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/client/api-error.ts';
import { type Options, SelectField, TextArea, TextField, type TextInput } from './field.tsx';
import { Problem } from '../page/states.tsx';

/** Receives the value of a field with an input of its own kind. */
export interface ControlProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  error: string | undefined;
}

interface Entry<Draft> {
  label?: string | ((draft: Draft) => string);
  hint?: string | ((draft: Draft) => string | undefined);
  /** the issues that the field shows, unless a later one does; default: that of its name */
  issues?: readonly string[];
  /** another error that the field shows */
  errorOf?: (error: ApiError) => string | undefined;
  /** default: always */
  isShown?: (draft: Draft) => boolean;
}

type Input<Draft, Value> =
  | { options: Options<Value> }
  | { control: (props: ControlProps<Value>, draft: Draft) => ComponentChildren }
  | (Value extends string ? Omit<TextInput, 'name'> & { rows?: number } : never);

/** The fields of a form in their order: a text, a select with `options`, or another `control`. */
export type FieldTable<Draft> = readonly {
  [Name in keyof Draft & string]: { name: Name } & Entry<Draft> & Input<Draft, Draft[Name]>;
}[keyof Draft & string][];

/** A field of any table, whose type has checked that the input fits the value. */
interface AnyField<Draft> extends Entry<Draft> {
  name: keyof Draft & string;
  required?: boolean;
  rows?: number;
  options?: Options<string>;
  control?: (props: ControlProps<unknown>, draft: Draft) => ComponentChildren;
}

const shownOf = <Draft,>(fields: FieldTable<Draft>, draft: Draft): AnyField<Draft>[] =>
  (fields as unknown as AnyField<Draft>[]).filter(({ isShown }) => isShown?.(draft) ?? true);

/** True if no required text is empty. */
export const isFilled = <Draft,>(fields: FieldTable<Draft>, draft: Draft): boolean =>
  shownOf(fields, draft).every(({ name, required }) => !required || String(draft[name]).trim() !== '');

const isAt = <Draft,>({ name, issues = [name] }: AnyField<Draft>, path: string): boolean =>
  issues.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`));

interface FieldsProps<Draft> {
  fields: FieldTable<Draft>;
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  error: ApiError | undefined;
  /** others show the errors that are at no field */
  isPart?: boolean;
}

/** The fields with their errors. An error that is at no field follows them. */
export function FormFields<Draft>({ fields, draft, onChange, error, isPart = false }: FieldsProps<Draft>) {
  const shown = shownOf(fields, draft);
  const fieldOf = (path: string): AnyField<Draft> | undefined => shown.findLast((field) => isAt(field, path));
  const errors = shown.map(
    (field) => error && (field.errorOf?.(error) ?? error.issues.find(({ path }) => fieldOf(path) === field)?.message),
  );
  const isPlaced = errors.some((text) => text !== undefined) && error?.issues.every(({ path }) => fieldOf(path));
  return (
    <>
      {shown.map((field, at) => (
        <OneField
          key={field.name}
          field={field}
          draft={draft}
          onChange={(value) => onChange({ [field.name]: value } as Partial<Draft>)}
          error={errors[at]}
        />
      ))}
      {error && !isPlaced && !isPart && <Problem error={error} />}
    </>
  );
}

const textOf = <Draft, Text>(text: Text | ((draft: Draft) => Text), draft: Draft): Text =>
  text instanceof Function ? text(draft) : text;

function OneField<Draft>({
  field: { label = '', hint, issues: _, errorOf: _of, isShown: _is, control, options, rows, name, ...input },
  draft,
  onChange,
  error,
}: {
  field: AnyField<Draft>;
  draft: Draft;
  onChange: (value: unknown) => void;
  error: string | undefined;
}) {
  if (control) return <>{control({ value: draft[name], onChange, error }, draft)}</>;
  const value = draft[name] as string;
  const texts = { label: textOf(label, draft), hint: textOf(hint, draft), error };
  if (options) return <SelectField {...texts} value={value} options={options} onChoose={onChange} />;
  if (rows) return <TextArea {...texts} {...input} rows={rows} value={value} onText={onChange} />;
  return <TextField {...texts} {...input} value={value} onText={onChange} />;
}
