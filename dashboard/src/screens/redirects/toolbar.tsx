import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import { query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { Button } from '../../ui/button.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { isFiltered, NO_FILTER, UNUSED_DAYS, unusedDays, sortsOf, type View } from './view.ts';

const DEBOUNCE_MS = 160;

/** Search and filters, each a query parameter. `onDown` focuses the list. */
export function Toolbar({ view, onDown }: { view: View; onDown: () => void }) {
  const { filter, sort, hasHits } = view;
  return (
    <div class="toolbar" role="search">
      <Search q={filter.q ?? ''} onDown={onDown} />
      <div class="filters">
        <Select
          aria-label="Environment"
          value={filter.environment ?? ''}
          options={[['', 'Any environment'], ...ENVIRONMENT_OPTIONS]}
          onChoose={(environment) => setQuery({ environment })}
        />
        <Select
          aria-label="Status"
          value={filter.status_code === undefined ? '' : String(filter.status_code)}
          options={[['', 'Any status'], ...STATUS_CODES.map((code) => [String(code), String(code)] as const)]}
          onChoose={(status_code) => setQuery({ status_code })}
        />
        <Select
          aria-label="Type"
          value={filter.is_regex === undefined ? '' : String(filter.is_regex)}
          options={[
            ['', 'Any type'],
            ['false', 'Paths'],
            ['true', 'Patterns'],
          ]}
          onChoose={(is_regex) => setQuery({ is_regex })}
        />
        {hasHits && <UnusedFilter />}
        <Select
          aria-label="Order"
          value={sort}
          options={sortsOf(hasHits)}
          onChoose={(next) => setQuery({ sort: next })}
        />
        {filter.group !== undefined && (
          <Button size="small" icon="close" onClick={() => setQuery({ group: undefined })}>
            Group: {filter.group === '' ? 'none' : filter.group}
          </Button>
        )}
        {isFiltered(view) && (
          <Button kind="quiet" size="small" onClick={() => setQuery(NO_FILTER)}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

function UnusedFilter() {
  return (
    <Select
      aria-label="Usage"
      value={unusedDays(query.value) ?? ''}
      options={[['', 'Any usage'], ...UNUSED_DAYS.map((days) => [days, `Unused for ${days} days`] as const)]}
      onChoose={(not_followed) => setQuery({ not_followed })}
    />
  );
}

function Search({ q, onDown }: { q: string; onDown: () => void }) {
  const input = useRef<HTMLInputElement>(null);
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
  function type(next: string): void {
    text.value = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      lastQuery.current = next.trim();
      setQuery({ q: lastQuery.current });
    }, DEBOUNCE_MS);
  }
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
        placeholder="Search source and target"
        value={typed}
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault();
            onDown();
          } else if (event.key === 'Escape' && typed !== '') {
            event.preventDefault();
            type('');
          }
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
