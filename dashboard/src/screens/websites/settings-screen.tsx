import './websites.css';
import '../webhooks/webhooks.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError } from '../../api/client/api-error.ts';
import { exportUrl } from '../../api/redirects.ts';
import { deleteWebsite, updateWebsite } from '../../api/websites.ts';
import type { Website, WebsiteFields } from '../../api/client/wire.ts';
import { go } from '../../router.ts';
import { mayAs, mayEdit, planHas } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { dropWebsite, upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { ChangedElsewhere, hasConflict, rebased, type Side } from '../../ui/list/changed-elsewhere.tsx';
import { Confirm, DangerZone } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { CheckCredentials } from './check-credentials.tsx';
import { HostsCard } from './hosts-card.tsx';
import { FactList } from '../webhooks/facts.tsx';
import { settingChanges, settingTexts } from './setting-changes.ts';
import { settingsOf, SettingsFields, type Settings } from './settings-fields.tsx';

/** The state of the form: the settings, saving them, and changes by others. */
function useSettings(website: Website) {
  /** the website that the form started from */
  const base = useSignal(website);
  const settings = useSignal<Settings>(settingsOf(website));
  const changes = (): Partial<WebsiteFields> => changedFields(settingsOf(base.value), settings.value);
  const isChanged = Object.keys(changes()).length > 0;
  function startFrom(saved: Website, next: Settings): void {
    base.value = saved;
    settings.value = next;
  }
  const submission = useSubmit(
    async () => {
      if (Object.keys(changes()).length === 0) return;
      const body = { ...changes(), if_updated_at: base.value.updated_at };
      const { website: saved } = await updateWebsite(website.id, body);
      startFrom(saved, settingsOf(saved));
      upsertWebsite(saved);
      toast('Settings saved. They apply within five seconds.');
    },
    { isReady: isChanged },
  );
  const newer = (current: Website) => ({ base: settingsOf(base.value), current: settingsOf(current) });
  useEffect(() => {
    // Otherwise the save says who else has changed the same settings.
    if (!hasConflict(settings.value, newer(website))) {
      startFrom(website, rebased(settings.value, newer(website), 'mine'));
    }
  }, [website.updated_at]);
  function choose(current: Website, side: Side, event: Event): void {
    startFrom(current, rebased(settings.value, newer(current), side));
    submission.error.value = undefined;
    upsertWebsite(current);
    if (side === 'mine') submission.submit(event);
  }
  return { base, settings, isChanged, choose, ...submission };
}

/** Name, hosts and options of one website. */
export function SettingsScreen({ website }: { website: Website }) {
  const { base, settings, isChanged, error, isBusy, submit, choose } = useSettings(website);
  useUnsaved(() => isChanged && !isBusy.value);
  return (
    <Page title="Settings" lead={!mayEdit.value && 'Read only: ask an editor or owner to change settings.'}>
      <HostsCard website={website} />
      {!mayEdit.value && (
        <FactList
          facts={settingTexts(settings.value).map(({ label, text }) => [
            label,
            <span class="break lines">{text}</span>,
          ])}
        />
      )}
      {mayEdit.value && (
        <form class="settings" onSubmit={submit}>
          <SettingsFields
            draft={settings.value}
            onChange={(next) => (settings.value = { ...settings.value, ...next })}
            error={error.value}
          />
          {error.value && <SaveProblem error={error.value} base={base.value} onChoose={choose} />}
          <div class="actions save-bar" data-changed={isChanged}>
            <Button kind="primary" type="submit" disabled={!isChanged} isBusy={isBusy.value}>
              Save
            </Button>
            {isChanged && (
              <Button kind="quiet" onClick={() => (settings.value = settingsOf(base.value))}>
                Discard changes
              </Button>
            )}
          </div>
        </form>
      )}
      {mayEdit.value && <CheckCredentials website={website} />}
      {mayAs('owner') && <DeleteWebsite website={website} />}
    </Page>
  );
}

/** Why saving failed, unless a field says it. The form stays as it is. */
function SaveProblem({
  error,
  base,
  onChoose,
}: {
  error: ApiError;
  base: Website;
  onChoose: (current: Website, side: Side, event: Event) => void;
}) {
  const { by, at, website: current } = error.changed ?? {};
  if (at !== undefined && current) {
    return (
      <ChangedElsewhere
        what="these settings"
        by={by}
        at={at}
        changes={settingChanges(settingsOf(base), settingsOf(current))}
        onChoose={(side, event) => onChoose(current, side, event)}
      />
    );
  }
  return error.issues.length > 0 ? null : <Problem error={error} />;
}

/** The changed settings. Others are left out: someone else may change them. */
function changedFields(before: Settings, settings: Settings): Partial<WebsiteFields> {
  const { fallback_url: fallback, allowed_target_hosts: targets } = settings;
  const { page_parameters: parameters, sitemap_urls: sitemaps } = settings;
  const sent: Partial<WebsiteFields> = {
    ...settings,
    fallback_url: fallback.trim() || null,
    allowed_target_hosts: linesOf(targets),
    page_parameters: linesOf(parameters),
    sitemap_urls: linesOf(sitemaps),
  };
  const names = (Object.keys(settings) as (keyof Settings)[]).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(names.map((name) => [name, sent[name]]));
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

function DeleteWebsite({ website }: { website: Website }) {
  return (
    <DangerZone
      title="Delete this website"
      text="Its hosts stop serving immediately, and all of its redirects are deleted."
      verb="Delete website"
    >
      {(close) => (
        <Confirm
          title={`Delete ${website.name}?`}
          verb="Delete website"
          typed={website.name}
          onConfirm={async () => {
            await deleteWebsite(website.id);
            dropWebsite(website.id);
            go('/websites');
            toast(`${website.name} deleted`);
          }}
          onClose={close}
        >
          This cannot be undone.{' '}
          {planHas('apiAccess') && (
            <a href={exportUrl({ website_id: website.id, format: 'csv' })} download>
              Download its redirects first
            </a>
          )}
        </Confirm>
      )}
    </DangerZone>
  );
}
