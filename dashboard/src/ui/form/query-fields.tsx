/** Fields whose value is in the query of the URL. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ENVIRONMENT_OPTIONS } from '../text/environment.tsx';
import { type Options, Select } from './field.tsx';

const DEBOUNCE_MS = 160;

/** The text of a field that is the `q` of the URL a moment after it was typed, and at once after `apply`. */
function useTypedQuery(q: string, read: (line: string, isDone: boolean) => string) {
  const text = useSignal(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastQuery = useRef(q);
  useEffect(() => {
    // Ignore changes of the URL that come from typing.
    if (q === lastQuery.current) return;
    clearTimeout(timer.current);
    lastQuery.current = q;
    text.value = q;
  }, [q]);
  function type(line: string): void {
    const next = read(line, false);
    text.value = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(next), DEBOUNCE_MS);
  }
  function apply(line: string, isDone = false): void {
    clearTimeout(timer.current);
    const next = read(line, isDone);
    text.value = next;
    lastQuery.current = next.trim();
    setQuery({ q: lastQuery.current }, { replace: true });
  }
  return { text, type, apply };
}

/**
 * The search `q` of the URL. `onDown` focuses the list below. `read`: takes filters out of the typed line, and returns
 * the text that stays. `complete`: lines to choose from.
 */
export function SearchField({
  q,
  placeholder = 'Search source and target',
  onDown,
  read = (line) => line,
  complete,
}: {
  q: string;
  placeholder?: string;
  onDown: () => void;
  read?: (line: string, isDone: boolean) => string;
  complete?: (line: string) => string[];
}) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const { text, type, apply } = useTypedQuery(q, read);
  const typed = text.value;
  useKeys([{ keys: '/', label: 'Search', run: () => input.current?.select() }]);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">Search paths</span>
      <input
        ref={input}
        class="input"
        type="search"
        placeholder={placeholder}
        value={typed}
        list={complete && list}
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault();
            apply(event.currentTarget.value, true);
            onDown();
          } else if (event.key === 'Escape' && typed !== '') {
            event.preventDefault();
            type('');
          }
        }}
      />
      {complete && (
        <datalist id={list}>
          {complete(typed).map((line) => (
            <option key={line} value={line} />
          ))}
        </datalist>
      )}
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

/**
 * Selects the parameter `name` of the URL. The value `standard`, by default that of the first option, is omitted there.
 * A change removes the parameters in `resets`.
 */
export function QuerySelect<Value extends string>({
  label,
  name,
  value,
  options,
  standard = options[0]?.[0],
  resets = [],
}: {
  label: string;
  name: string;
  value: Value;
  options: Options<Value>;
  standard?: Value | undefined;
  resets?: readonly string[];
}) {
  return (
    <Select
      aria-label={label}
      value={value}
      options={options}
      onChoose={(chosen) =>
        setQuery({
          ...Object.fromEntries(resets.map((each) => [each, undefined])),
          [name]: chosen === standard ? undefined : chosen,
        })
      }
    />
  );
}

/** A filter of the URL as a token: a click removes the parameter `name`. */
export const QueryToken = ({ name, label }: { name: string; label: string }) => (
  <Button
    size="small"
    icon="close"
    aria-label={`Remove filter ${label}`}
    onClick={() => setQuery({ [name]: undefined })}
  >
    {label}
  </Button>
);

/** A day in UTC, the parameter `name` of the URL, up to today. Years that are still typed change nothing. */
export const QueryDate = ({ label, name }: { label: string; name: string }) => (
  <input
    class="input"
    type="date"
    aria-label={label}
    min="2000-01-01"
    max={new Date().toISOString().slice(0, 10)}
    value={query.value.get(name) ?? ''}
    onChange={({ currentTarget: { value, validity } }) => validity.valid && setQuery({ [name]: value })}
  />
);

export const EnvironmentSelect = ({ value, resets = [] }: { value: Environment; resets?: readonly string[] }) => (
  <QuerySelect label="Environment" name="environment" value={value} options={ENVIRONMENT_OPTIONS} resets={resets} />
);
