import { useSignal } from '@preact/signals';
import type { ApiError } from '../../api/api-error.ts';
import { createWebsite } from '../../api/websites.ts';
import { go } from '../../router.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import type { Hosts } from './host-lines.ts';
import { HostsField, namedHosts } from './hosts-field.tsx';

const ONE_HOST: Hosts = [{ hostname: '', environment: 'production' }];

/** Creates a website with name and hosts; all other settings have defaults. */
export function NewWebsite({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const hosts = useSignal(ONE_HOST);
  const { error, isBusy, submit } = useSubmit(async () => {
    const { website } = await createWebsite({ name: name.value, hosts: namedHosts(hosts.value) });
    upsertWebsite(website);
    // An unverified host serves nothing: the settings have its DNS record.
    go(`/websites/${website.id}/${website.hosts.every(({ verified }) => verified) ? 'redirects' : 'settings'}`);
  });
  const isChanged = name.value !== '' || JSON.stringify(hosts.value) !== JSON.stringify(ONE_HOST);
  const leave = useUnsaved(() => isChanged && !isBusy.value);
  const close = (): void => leave(onClose);
  const hostsError = error.value && hostsErrorOf(error.value);
  return (
    <Dialog title="New website" onClose={close}>
      <form onSubmit={submit}>
        <div class="dialog-body fields">
          <TextField
            label="Name"
            required
            autofocus
            placeholder="Shop"
            value={name.value}
            onText={(text) => (name.value = text)}
            error={error.value?.issueOf('name')}
          />
          <HostsField hosts={hosts.value} onChange={(next) => (hosts.value = next)} error={hostsError} />
          {error.value && hostsError === undefined && error.value.issueOf('name') === undefined && (
            <Problem error={error.value} />
          )}
        </div>
        <footer>
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            Create website
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The error about the hosts: an issue of one of them, or CONFLICT if another website has a host. */
export function hostsErrorOf(error: ApiError): string | undefined {
  if (error.code === 'CONFLICT') return error.details || error.message;
  return error.issues.find(({ path }) => path.startsWith('hosts'))?.message;
}
