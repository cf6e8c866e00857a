import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { RedirectFilter } from '../../api/redirects.ts';
import { setQuery } from '../../router.ts';
import { useGroups } from '../../state/resource/use-groups.ts';
import { GroupOptions } from '../../ui/form/group-field.tsx';

/** Stands for redirects without a group in the list of groups. */
const NO_GROUP = 'No group';

/** Filters by a group: type to search the groups of the website, choose one, or press Enter. */
export function GroupFilter({ websiteId, group }: { websiteId: number; group: RedirectFilter['group'] }) {
  const shown = [group ?? []]
    .flat()
    .map((each) => each || NO_GROUP)
    .join(', ');
  const text = useSignal(shown);
  const isUsed = useSignal(false);
  const id = useId();
  const { groups } = useGroups(websiteId, text.value === shown ? '' : text.value, isUsed.value);
  useEffect(() => void (text.value = shown), [shown]);
  function choose(typed: string): void {
    const name = typed.trim();
    if (name !== shown) setQuery({ group: name === '' ? undefined : name });
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
        data-set={group !== undefined}
        value={text.value}
        onFocus={(event) => {
          isUsed.value = true;
          event.currentTarget.select();
        }}
        onInput={({ currentTarget: { value } }) => {
          text.value = value;
          // A choice from the list is complete. So is an emptied field.
          if (value === '' || groups.some(({ group_id }) => group_id === value)) choose(value);
        }}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <GroupOptions id={id} groups={groups} />
    </>
  );
}
