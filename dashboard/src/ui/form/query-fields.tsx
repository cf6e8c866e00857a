/** Fields whose value is in the query of the URL. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { number } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ENVIRONMENT_OPTIONS } from '../text/environment.tsx';
import { type Options, Select } from './field.tsx';
import { completionsOf, readLine, type Tokens } from './query-line.ts';

const DEBOUNCE_MS = 160;

/** The text of a field that is the `q` of the URL a moment after it was typed, and at once after `apply`. */
function useTypedQuery(q: string, tokens: Tokens) {
  const text = useSignal(q);
  const problem = useSignal<string | undefined>(undefined);
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
    apply(line, false, DEBOUNCE_MS);
  }
  /** Sets the filters that the line names, and searches for its text `delay` ms later. */
  function apply(line: string, isDone = true, delay = 0): void {
    clearTimeout(timer.current);
    const next = readLine(tokens, line, isDone);
    const hasFilter = Object.keys(next.parameters).length > 0;
    text.value = next.text;
    problem.value = next.problem;
    const before = query.peek().get('q');
    function search(): void {
      // The search was cleared or changed since.
      if (query.peek().get('q') !== before) return;
      lastQuery.current = next.search;
      setQuery({ ...next.parameters, q: next.search }, { replace: !hasFilter });
    }
    if (hasFilter || delay === 0) search();
    else timer.current = setTimeout(search, delay);
  }
  return { text, problem, type, apply };
}

const NO_TOKENS: Tokens = {};

/** The search `q` of the URL. `onDown` focuses the list below; Escape does too. `tokens`: filters of the URL that can be typed. */
export function SearchField({
  q,
  placeholder = 'Search source and target',
  onDown,
  tokens = NO_TOKENS,
}: {
  q: string;
  placeholder?: string;
  onDown: () => void;
  tokens?: Tokens;
}) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const { text, problem, type, apply } = useTypedQuery(q, tokens);
  const typed = text.value;
  useKeys([{ keys: '/', label: 'Search', run: () => input.current?.select() }]);
  return (
    <>
      <label class="search">
        <Icon name="search" />
        <span class="unseen">Search paths</span>
        <input
          ref={input}
          class="input"
          type="search"
          placeholder={placeholder}
          value={typed}
          aria-invalid={problem.value !== undefined}
          list={tokens === NO_TOKENS ? undefined : list}
          spellcheck={false}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault();
              apply(event.currentTarget.value);
              if (problem.value === undefined) onDown();
            } else if (event.key === 'Escape') {
              // Keeps the text, which the browser would clear.
              if (typed !== '') event.preventDefault();
              event.currentTarget.blur();
              onDown();
            }
          }}
        />
        {tokens !== NO_TOKENS && (
          <datalist id={list}>
            {completionsOf(tokens, typed).map((line) => (
              <option key={line} value={line} />
            ))}
          </datalist>
        )}
        <kbd aria-hidden="true">/</kbd>
      </label>
      {problem.value !== undefined && (
        <p class="small wrong" role="alert">
          {problem.value}
        </p>
      )}
    </>
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
      isSet={value !== standard}
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

/** Keeps the focus of the keyboard beside a button that disappears: in the search. A tap would open the keyboard of phones. */
export function focusSearch(button: Element): void {
  if (!button.matches(':focus-visible')) return;
  button.closest('[role=search]')?.querySelector<HTMLElement>('input[type=search]')?.focus();
}

/** A filter of the URL as a token: a click removes the parameter `name`. */
export const QueryToken = ({ name, label }: { name: string; label: string }) => (
  <Button
    size="small"
    icon="close"
    aria-label={`Remove filter ${label}`}
    title={label}
    style={{ maxWidth: 'min(100%, 280px)' }}
    onClick={({ currentTarget }) => {
      focusSearch(currentTarget);
      setQuery({ [name]: undefined });
    }}
  >
    <span class="truncate">{label}</span>
  </Button>
);

/** Shows and hides the filters of a list; filled, and with their number, if some are set. */
export const FilterButton = ({ count, isOpen }: { count: number; isOpen: Signal<boolean> }) => (
  <Button
    icon="filter"
    data-set={count > 0}
    aria-expanded={isOpen.value}
    onClick={() => (isOpen.value = !isOpen.value)}
  >
    <span class="filter-word">Filters</span>
    {count > 0 && ` (${number(count)})`}
  </Button>
);

export const EnvironmentSelect = ({ value, resets = [] }: { value: Environment; resets?: readonly string[] }) => (
  <QuerySelect label="Environment" name="environment" value={value} options={ENVIRONMENT_OPTIONS} resets={resets} />
);
