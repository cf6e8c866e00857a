import './websites.css';
import { useSignal } from '@preact/signals';
import { deleteWebsite, getWebsite, updateWebsite } from '../../api/websites.ts';
import type { Website } from '../../api/wire.ts';
import { go, type Params } from '../../router.ts';
import { mayAs, mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/use-resource.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { dropWebsite, upsertWebsite, useWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { HostProofs } from './host-proof.tsx';
import { HostStates } from './host-states.tsx';
import { namedHosts } from './hosts-field.tsx';
import { hostsErrorOf } from './new-website.tsx';
import { settingsOf, SettingsFields, type Settings } from './settings-fields.tsx';

/** Name, hosts and options of one website. */
export function SettingsScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  if (!website) return null;
  return website.hosts.length < website.host_count ? (
    <WithAllHosts listed={website} />
  ) : (
    <WebsiteSettings website={website} />
  );
}

/** The list of websites has only the first hosts of each, and settings are saved with all of them. */
function WithAllHosts({ listed }: { listed: Website }) {
  const { data, error, reload } = useResource(`website:${listed.id}`, (signal) => getWebsite(listed.id, signal));
  if (data.value) return <WebsiteSettings website={data.value.website} />;
  return (
    <Page title="Settings" lead={listed.name}>
      {error.value ? <Problem error={error.value} onRetry={reload} /> : <Skeleton lines={8} />}
    </Page>
  );
}

function WebsiteSettings({ website }: { website: Website }) {
  const settings = useSignal<Settings>(settingsOf(website));
  const isChanged = JSON.stringify(settings.value) !== JSON.stringify(settingsOf(website));
  const { error, isBusy, submit } = useSubmit(
    async () => {
      const { website: saved } = await updateWebsite(website.id, changedFields(website, settings.value));
      upsertWebsite(saved);
      settings.value = settingsOf(saved);
      toast('Settings saved. Host changes apply within a second, other changes within five.');
    },
    { isReady: isChanged },
  );
  useUnsaved(() => isChanged && !isBusy.value);
  const isShown = error.value && (hostsErrorOf(error.value) !== undefined || error.value.issues.length > 0);
  return (
    <Page
      title="Settings"
      lead={mayEdit.value ? website.name : `${website.name}. Read only: ask an editor or owner to change settings.`}
    >
      <HostProofs website={website} />
      <form class="settings" onSubmit={submit}>
        <SettingsFields
          settings={settings.value}
          onChange={(next) => (settings.value = { ...settings.value, ...next })}
          error={error.value}
          disabled={!mayEdit.value}
        />
        {error.value && !isShown && <Problem error={error.value} />}
        {mayEdit.value && (
          <div class="actions save-bar" data-changed={isChanged}>
            <Button kind="primary" type="submit" disabled={!isChanged || isBusy.value}>
              Save
            </Button>
            {isChanged && (
              <Button kind="quiet" onClick={() => (settings.value = settingsOf(website))}>
                Discard changes
              </Button>
            )}
          </div>
        )}
      </form>
      <HostStates website={website} />
      {mayAs('owner') && <DeleteWebsite website={website} />}
    </Page>
  );
}

/** The changed settings. Hosts are left out unless they changed, because there may be 10,000. */
function changedFields(website: Website, { hosts, ...settings }: Settings): Partial<Settings> {
  const areHostsChanged = JSON.stringify(hosts) !== JSON.stringify(settingsOf(website).hosts);
  return {
    ...settings,
    ...(areHostsChanged && { hosts: namedHosts(hosts) }),
    allowed_target_hosts: settings.allowed_target_hosts.filter((line) => line !== ''),
  };
}

function DeleteWebsite({ website }: { website: Website }) {
  const isAsking = useSignal(false);
  async function confirm(): Promise<void> {
    await deleteWebsite(website.id);
    dropWebsite(website.id);
    go('/websites');
    toast(`${website.name} deleted`);
  }
  return (
    <section class="card danger-zone">
      <div>
        <h2>Delete this website</h2>
        <p class="muted">Its hosts stop serving immediately, and all of its redirects are deleted.</p>
      </div>
      <Button kind="danger" icon="trash" onClick={() => (isAsking.value = true)}>
        Delete website
      </Button>
      {isAsking.value && (
        <Confirm
          title={`Delete ${website.name}?`}
          verb="Delete website"
          typed={website.name}
          onConfirm={confirm}
          onClose={() => (isAsking.value = false)}
        >
          This cannot be undone. Export its redirects first if you may need them again.
        </Confirm>
      )}
    </section>
  );
}
