import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
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

const DEBOUNCE_MS = 200;

/** The text of a field whose value applies a moment after it was typed, or with `apply`. */
function useTyped(value: string, onEnter: (text: string) => void) {
  const typed = useSignal(value);
  const applied = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // The text stays as it is typed, unless the filter is set elsewhere.
    if (value === applied.current) return;
    applied.current = value;
    typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function apply(text: string): void {
    clearTimeout(timer.current);
    applied.current = text.trim();
    onEnter(applied.current);
  }
  function applySoon(text: string): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(text), DEBOUNCE_MS);
  }
  return { typed, apply, applySoon };
}

/**
 * A filter that applies with Enter, when it loses the focus, or when one of the choices is chosen. `isLive`: also while
 * it is typed, with a part of a choice.
 */
export function TextFilter({
  label,
  value,
  isCode = false,
  isLive = false,
  choices = [],
  onEnter,
}: {
  label: string;
  value: string;
  isCode?: boolean;
  isLive?: boolean;
  choices?: readonly string[];
  onEnter: (text: string) => void;
}) {
  const list = useId();
  const { typed, apply, applySoon } = useTyped(value, onEnter);
  return (
    <>
      <input
        class={isCode ? 'input mono' : 'input'}
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed.value}
        list={choices.length > 0 ? list : undefined}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={({ currentTarget: { value: text } }) => {
          typed.value = text;
          if (choices.includes(text)) apply(text);
          else if (isLive) applySoon(text);
        }}
        onChange={({ currentTarget: { value: text } }) => apply(isLive ? text : completed(text.trim(), choices))}
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
