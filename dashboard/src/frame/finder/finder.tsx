import './finder.css';
import { signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { IconButton } from '../../ui/button.tsx';
import { useModal } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { entryId, type FinderModel, isFinderOpen, RESULTS_ID } from './entry.ts';

const createModel = (): FinderModel => ({
  text: signal(''),
  active: signal(0),
  count: signal(undefined),
  isChosen: signal(false),
  close: () => (isFinderOpen.value = false),
});

type Results = ComponentType<{ model: FinderModel }>;
let loaded: Results | undefined;

/**
 * The box that finds anything: a modal dialog with a combobox. It takes the focus in the same task as it renders, so
 * that no key of a fast typist gets lost. The list of results is a separate chunk.
 */
export function Finder() {
  const model = useMemo(createModel, []);
  const modal = useModal(model.close);
  const input = useRef<HTMLInputElement>(null);
  const Results = useSignal(loaded);
  const hasFailed = useSignal(false);
  useLayoutEffect(() => {
    input.current?.focus();
    import('./results.tsx').then(
      ({ FinderResults }) => (Results.value = loaded = FinderResults),
      () => (hasFailed.value = true),
    );
  }, []);
  const List = Results.value;
  return (
    <dialog {...modal} class="dialog finder" aria-label="Find anything">
      <div class="row gap-3 finder-field">
        <Icon name="search" />
        <Field model={model} input={input} />
        <IconButton label="Close" icon="close" size="small" onClick={model.close} />
      </div>
      {List && <List model={model} />}
      {hasFailed.value && (
        <p class="finder-note" role="alert">
          The results could not be loaded. Reload the page.
        </p>
      )}
    </dialog>
  );
}

function Field({ model, input }: { model: FinderModel; input: { current: HTMLInputElement | null } }) {
  const { text, active, count, isChosen } = model;
  const hasEntries = (count.value ?? 0) > 0;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const last = (count.peek() ?? Infinity) - 1;
    if (event.key === 'ArrowDown') active.value = Math.max(0, Math.min(last, active.peek() + 1));
    else if (event.key === 'ArrowUp') active.value = Math.max(0, active.peek() - 1);
    else if (event.key === 'Enter') isChosen.value = true;
    else return;
    event.preventDefault();
  }
  return (
    <input
      ref={input}
      type="text"
      class="grow"
      role="combobox"
      aria-label="Find anything"
      aria-expanded={hasEntries}
      aria-controls={hasEntries ? RESULTS_ID : undefined}
      aria-autocomplete="list"
      aria-activedescendant={hasEntries ? entryId(active.value) : undefined}
      placeholder="Paths, URLs, groups, notes, screens, websites"
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
        active.value = 0;
        isChosen.value = false;
      }}
      onKeyDown={onKeyDown}
    />
  );
}
