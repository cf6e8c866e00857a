import { useSignal } from '@preact/signals';
import { websites } from '../../state/websites.ts';
import { Check, SelectField, TextField } from './field.tsx';
import type { ControlProps } from './form-fields.tsx';

/** With fewer websites, the list needs no search. */
const SEARCH_FROM = 10;

const REACHES = [
  ['all', 'All websites, later ones included'],
  ['some', 'Only some websites'],
] as const;

/** A choice of websites by id; null: all. */
export function WebsiteChoice({
  value: chosen,
  onChange,
  error,
  hint,
}: ControlProps<number[] | null> & { hint?: string }) {
  return (
    <>
      <SelectField
        label="Websites"
        value={chosen === null ? 'all' : 'some'}
        options={REACHES}
        onChoose={(reach) => onChange(reach === 'all' ? null : [])}
        hint={hint}
        error={error}
      />
      {chosen !== null && <WebsiteList chosen={chosen} onChange={onChange} />}
    </>
  );
}

function WebsiteList({ chosen, onChange }: { chosen: number[]; onChange: (chosen: number[]) => void }) {
  const search = useSignal('');
  const all = websites.value ?? [];
  const text = search.value.trim().toLowerCase();
  const shown = all.filter(({ name }) => name.toLowerCase().includes(text));
  return (
    <fieldset class="field website-choice">
      <legend>Chosen websites</legend>
      {all.length >= SEARCH_FROM && (
        <TextField
          label="Search websites"
          type="search"
          value={search.value}
          onText={(typed) => (search.value = typed)}
        />
      )}
      <div class="stack">
        {shown.map(({ id, name }) => (
          <Check
            key={id}
            label={<span class="break">{name}</span>}
            checked={chosen.includes(id)}
            onCheck={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
        {shown.length === 0 && <p class="muted small">No website matches.</p>}
      </div>
    </fieldset>
  );
}
