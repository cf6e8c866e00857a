import './websites.css';
import { useSignal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { deleteWebsite, updateWebsite } from '../../api/websites.ts';
import type { Website } from '../../api/wire.ts';
import { go, type Params } from '../../router.ts';
import { mayAs, mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { dropWebsite, upsertWebsite, websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { namedHosts } from './hosts-field.tsx';
import { hostsProblem } from './new-website.tsx';
import { settingsOf, SettingsFields, type Settings } from './settings-fields.tsx';

/** Name, hosts and options of one website. */
export function SettingsScreen({ params }: { params: Params }) {
  const website = websites.value?.find(({ id }) => String(id) === params['websiteId']);
  return website ? <SettingsOf website={website} /> : null;
}

function SettingsOf({ website }: { website: Website }) {
  const settings = useSignal<Settings>(settingsOf(website));
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  const isChanged = JSON.stringify(settings.value) !== JSON.stringify(settingsOf(website));
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!isChanged || isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      const answer = await updateWebsite(website.id, withoutEmptyLines(settings.value));
      upsertWebsite(answer.website);
      settings.value = settingsOf(answer.website);
      toast('Settings saved. Hosts take effect within a second, options within five.');
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  const isShown = error.value && (hostsProblem(error.value) !== undefined || error.value.issues.length > 0);
  return (
    <Page
      title="Settings"
      lead={mayEdit.value ? website.name : `${website.name}. Read only: editors and owners change these.`}
    >
      <form class="settings" onSubmit={(event) => void submit(event)}>
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
              Save settings
            </Button>
            {isChanged && (
              <Button kind="quiet" onClick={() => (settings.value = settingsOf(website))}>
                Leave as they were
              </Button>
            )}
          </div>
        )}
      </form>
      {mayAs('owner') && <DeleteWebsite website={website} />}
    </Page>
  );
}

function withoutEmptyLines(settings: Settings): Settings {
  const { hosts, allowed_target_hosts: targets } = settings;
  return {
    ...settings,
    hosts: namedHosts(hosts),
    allowed_target_hosts: targets.filter((line) => line !== ''),
  };
}

function DeleteWebsite({ website }: { website: Website }) {
  const isAsking = useSignal(false);
  async function confirm(): Promise<void> {
    await deleteWebsite(website.id);
    dropWebsite(website.id);
    go('/websites');
    toast(`${website.name} is deleted`);
  }
  return (
    <section class="card danger-zone">
      <div>
        <h2>Delete this website</h2>
        <p class="muted">Its hosts stop answering at once, and all its redirects go with it.</p>
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
