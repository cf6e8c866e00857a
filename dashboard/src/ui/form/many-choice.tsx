import type { ComponentChildren } from 'preact';
import { Button } from '../button.tsx';
import { Check, FieldError } from './field.tsx';
import type { ControlProps } from './form-fields.tsx';

/** Check boxes for a set of values, with a button for all of them. The set keeps the order of the options. */
export function ManyChoice<Value extends string>({
  legend,
  options,
  value: chosen,
  onChange,
  error,
}: ControlProps<Value[]> & {
  legend: string;
  options: readonly (readonly [value: Value, label: ComponentChildren, hint: string])[];
}) {
  const all = options.map(([each]) => each);
  const isAll = chosen.length === all.length;
  return (
    <fieldset class="field radios">
      <legend class="row apart">
        {legend}
        <Button kind="quiet" size="small" onClick={() => onChange(isAll ? [] : all)}>
          {isAll ? 'Clear all' : 'Select all'}
        </Button>
      </legend>
      {options.map(([each, label, hint]) => (
        <Check
          key={each}
          label={label}
          hint={hint}
          checked={chosen.includes(each)}
          onCheck={(isOn) => onChange(all.filter((other) => (other === each ? isOn : chosen.includes(other))))}
        />
      ))}
      <FieldError error={error} />
    </fieldset>
  );
}
