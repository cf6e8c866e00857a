import { renameKey, revokeKey, rollKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/client/wire.ts';
import { fullTime } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { OVERLAPS } from './key-state.ts';
import { CreatedKey } from './new-key.tsx';

interface Props {
  apiKey: ApiKey;
  onChanged: () => void;
  onClose: () => void;
}

const NAME: FieldTable<{ name: string }> = [
  { name: 'name', label: 'Name', required: true, autofocus: true, hint: 'The program that uses the key.' },
];

export function RenameKey({ apiKey: { id, name }, onChanged, onClose }: Props) {
  return (
    <ResourceDialog
      title="Rename API key"
      verb="Rename"
      start={{ name }}
      fields={NAME}
      onSend={async (draft) => {
        const { api_key: renamed } = await renameKey(id, draft.name.trim());
        onChanged();
        toast(`${name} is now ${renamed.name}`);
      }}
      onClose={onClose}
    />
  );
}

const OVERLAP: FieldTable<{ hours: number }> = [
  {
    name: 'hours',
    label: 'The current key ends',
    options: OVERLAPS,
    hint: 'Until then both keys work. It never works longer than before.',
    issues: ['expires_in_hours'],
  },
];

/** Replaces a key by a new one with its settings; the current one ends after the chosen time. */
export function RollKey({ apiKey: { id, name }, onChanged, onClose }: Props) {
  return (
    <ResourceDialog
      isDisposable
      title={`Roll ${name}?`}
      verb="Roll key"
      start={{ hours: 24 }}
      fields={OVERLAP}
      onSend={async ({ hours }) => {
        const { api_key: created, previous } = await rollKey(id, hours);
        onChanged();
        const note =
          previous.revoked_at === null
            ? `The previous key works until ${fullTime(previous.expires_at ?? '')}.`
            : 'The previous key is revoked: requests with it fail with 401.';
        return <CreatedKey title="API key rolled" apiKey={created} note={note} onDone={onClose} />;
      }}
      onClose={onClose}
    >
      <p>You get a new key with the same name, access, websites and expiration.</p>
    </ResourceDialog>
  );
}

export function RevokeKey({ apiKey: { id, name }, onChanged, onClose }: Props) {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      verb="Revoke key"
      onConfirm={async () => {
        await revokeKey(id);
        onChanged();
        toast(`${name} revoked`);
      }}
      onClose={onClose}
    >
      Within a second, requests with this key fail with 401. This cannot be undone. To replace it, roll it instead.
    </Confirm>
  );
}
