import { useSignal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { createWebsite } from '../../api/websites.ts';
import type { Website } from '../../api/wire.ts';
import { go } from '../../router.ts';
import { upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { HostsField, namedHosts } from './hosts-field.tsx';

const ONE_HOST: Website['hosts'] = [{ hostname: '', environment: 'production' }];

/** A name and its hosts; everything else has a default and a place in the settings. */
export function NewWebsite({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const hosts = useSignal(ONE_HOST);
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      const { website } = await createWebsite({ name: name.value, hosts: namedHosts(hosts.value) });
      upsertWebsite(website);
      go(`/websites/${website.id}/redirects`);
    } catch (thrown) {
      error.value = asApiError(thrown);
      isBusy.value = false;
    }
  }
  const wrongHost = error.value && hostsProblem(error.value);
  return (
    <Dialog title="New website" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="dialog-body fields">
          <TextField
            label="Name"
            required
            autofocus
            placeholder="Shop"
            value={name.value}
            onText={(text) => (name.value = text)}
            wrong={error.value?.issueOf('name')}
          />
          <HostsField hosts={hosts.value} onChange={(next) => (hosts.value = next)} wrong={wrongHost} />
          {error.value && wrongHost === undefined && error.value.issueOf('name') === undefined && (
            <Problem error={error.value} />
          )}
        </div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
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

/** What is wrong with the hosts: an issue names one of them by its place, and a host that is taken is a conflict. */
export function hostsProblem(error: ApiError): string | undefined {
  if (error.code === 'CONFLICT') return error.details || error.message;
  return error.issues.find(({ path }) => path.startsWith('hosts'))?.message;
}
