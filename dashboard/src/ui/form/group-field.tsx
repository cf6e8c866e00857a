import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { GroupPage } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { currentWebsite } from '../../state/websites.ts';
import { useGroups } from '../../state/resource/use-groups.ts';
import { type FieldProps, TextField } from './field.tsx';

interface Props extends Omit<FieldProps, 'hint'> {
  value: string;
  onText: (text: string) => void;
  placeholder?: string;
  hint?: string | undefined;
}

/** The group of redirects: suggests those of the current website, and says if the name is a new one. */
export function GroupField({ hint, ...field }: Props) {
  const isUsed = useSignal(false);
  const id = useId();
  const { groups, isNew } = useGroups(currentWebsite.value?.id, field.value, isUsed.value);
  const similar = groups.find(({ group_id }) => group_id.toLowerCase() === field.value.trim().toLowerCase());
  const newHint = similar ? `New group. “${similar.group_id}” exists in another spelling.` : 'New group';
  return (
    <>
      <TextField
        {...field}
        list={id}
        autocomplete="off"
        onFocus={() => (isUsed.value = true)}
        hint={isNew ? newHint : hint}
      />
      <GroupOptions id={id} groups={groups} />
    </>
  );
}

export function GroupOptions({ id, groups }: { id: string; groups: GroupPage['groups'] }) {
  return (
    <datalist id={id}>
      {groups.map(({ group_id, redirect_count }) => (
        <option key={group_id} value={group_id} label={counted(redirect_count, 'redirect')} />
      ))}
    </datalist>
  );
}
