import { useId } from 'preact/hooks';
import type { Change } from '../../api/client/wire.ts';
import { user } from '../../state/session.ts';

/** Names to filter by: those of the rows, and the user's own. */
export function peopleIn(rows: readonly { actor: Pick<Change['actor'], 'type' | 'name'> }[] | undefined): string[] {
  const names = (rows ?? []).filter(({ actor }) => actor.type !== 'system').map(({ actor }) => actor.name);
  return [...new Set([user.value?.email ?? '', ...names])].filter((name) => name !== '').toSorted();
}

/** The only choice that has the text in any case; otherwise the text itself, because the service has more than the choices. */
export function completed(text: string, choices: readonly string[]): string {
  if (text === '' || choices.includes(text)) return text;
  const [only = text, second] = choices.filter((choice) => choice.toLowerCase().includes(text.toLowerCase()));
  return second === undefined ? only : text;
}

/** A filter that applies with Enter, when it loses the focus, or when one of the choices is chosen. */
export function TextFilter({
  label,
  value,
  isCode = false,
  choices = [],
  onEnter,
}: {
  label: string;
  value: string;
  isCode?: boolean;
  choices?: readonly string[];
  onEnter: (text: string) => void;
}) {
  const list = useId();
  return (
    <>
      <input
        class={isCode ? 'input mono' : 'input'}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        list={choices.length > 0 ? list : undefined}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={({ currentTarget }) => {
          if (choices.includes(currentTarget.value)) onEnter(currentTarget.value);
        }}
        onChange={({ currentTarget }) => onEnter(completed(currentTarget.value.trim(), choices))}
      />
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
