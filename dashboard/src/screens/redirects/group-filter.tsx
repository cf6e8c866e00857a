import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { setQuery } from '../../router.ts';
import { useGroups } from '../../state/resource/use-groups.ts';
import { GroupOptions } from '../../ui/form/group-field.tsx';

/** Filters by a group: type to search the groups of the website, choose one, or press Enter. */
export function GroupFilter({ websiteId }: { websiteId: number }) {
  const text = useSignal('');
  const isUsed = useSignal(false);
  const id = useId();
  const { groups } = useGroups(websiteId, text.value, isUsed.value);
  function choose(typed: string): void {
    const group = typed.trim();
    text.value = '';
    if (group !== '') setQuery({ group });
  }
  return (
    <>
      <input
        class="input group-filter"
        type="search"
        aria-label="Group"
        placeholder="Group"
        list={id}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onFocus={() => (isUsed.value = true)}
        onInput={({ currentTarget: { value } }) => {
          text.value = value;
          // A choice from the list is complete.
          if (groups.some(({ group_id }) => group_id === value)) choose(value);
        }}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <GroupOptions id={id} groups={groups} />
    </>
  );
}
