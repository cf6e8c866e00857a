import { useSignal } from '@preact/signals';
import { putCheckCredentials } from '../../api/live-checks.ts';
import type { Website } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';

interface Draft {
  hostname: string;
  username: string;
  password: string;
}

const fieldsFor = (hosts: readonly string[]): FieldTable<Draft> => [
  { name: 'hostname', label: 'Host', options: hosts.map((host) => [host, host] as const) },
  { name: 'username', label: 'User', required: true, autofocus: true, autocomplete: 'off' },
  { name: 'password', label: 'Password', type: 'password', required: true, autocomplete: 'new-password' },
];

/** The user and password that checks send to one own host, such as a protected staging site. */
export function CheckCredentials({ website: { id, hosts } }: { website: Website }) {
  const dialog = useSignal<'set' | 'remove' | undefined>(undefined);
  const close = (): void => void (dialog.value = undefined);
  const verified = hosts.filter(({ verified: isVerified, redirect_to: to }) => isVerified && !to);
  const names = verified.map(({ hostname }) => hostname).filter((name) => !name.startsWith('*.'));
  const [first] = names;
  if (first === undefined) return null;
  async function put(body: Parameters<typeof putCheckCredentials>[1]): Promise<void> {
    toast((await putCheckCredentials(id, body)).message);
  }
  return (
    <section class="card danger-zone">
      <div>
        <h2>Credentials of checks</h2>
        <p class="muted">
          A user and password for one host, such as a protected staging site. They are stored encrypted and never shown.
        </p>
      </div>
      <div class="actions">
        <Button onClick={() => (dialog.value = 'set')}>Set credentials</Button>
        <Button kind="quiet" onClick={() => (dialog.value = 'remove')}>
          Remove
        </Button>
      </div>
      {dialog.value === 'set' && (
        <ResourceDialog
          title="Credentials of checks"
          verb="Save"
          start={{ hostname: first, username: '', password: '' }}
          fields={fieldsFor(names)}
          onSend={put}
          onClose={close}
        >
          <p class="muted">They replace those that are stored.</p>
        </ResourceDialog>
      )}
      {dialog.value === 'remove' && (
        <Confirm
          title="Remove the credentials of checks?"
          verb="Remove"
          onConfirm={() => put({ hostname: null })}
          onClose={close}
        >
          Checks then ask a protected host without them, and find it blocked.
        </Confirm>
      )}
    </section>
  );
}
