/** Undo of settings: what the API can set back to its former value. */
import type { ActivityEntry, Website, WebsiteFields } from '../../api/client/wire.ts';
import { restoreUrls } from '../../api/urls.ts';
import { getWebsite, updateWebsite } from '../../api/websites.ts';
import { isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { toast, undoing, undoWith } from '../../state/toasts.ts';
import { upsertWebsite } from '../../state/websites.ts';

type Settings = Pick<NonNullable<ActivityEntry['settings']>, 'action' | 'target' | 'details'>;
type Values = Record<string, unknown>;

export type SettingsUndo =
  { is: 'values'; before: Values; after: Values } | { is: 'list'; body: Parameters<typeof restoreUrls>[1] };

/** Values of a website that its form sets. Others, such as credentials, are not in the log. */
const isSettable = (name: string): boolean => name !== 'accepted_losses' && name !== 'check_credentials';

const valuesOf = (value: unknown): Values | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;

/** How a change of settings is undone; undefined if the API cannot. */
export function undoOf({ action, target, details }: Settings): SettingsUndo | undefined {
  if (action === 'website.updated') {
    const [before, after] = [valuesOf(details?.['before']), valuesOf(details?.['after'])];
    const names = Object.keys(after ?? {});
    return before && after && names.length > 0 && names.every(isSettable) ? { is: 'values', before, after } : undefined;
  }
  const { environment, list_version: version } = details ?? {};
  if (action !== 'urls.changed' || target === null || typeof version !== 'number' || version < 2) return undefined;
  if (typeof environment !== 'string' || !isEnvironment(environment)) return undefined;
  return { is: 'list', body: { list: target, environment, list_version: version - 1, if_list_version: version } };
}

/** Sets back what was changed, unless it was changed again since. The message of settings offers to undo this too. */
export async function undoSettings(website: Website, undo: SettingsUndo, reload: () => void): Promise<void> {
  if (undo.is === 'list') {
    await undoing(restoreUrls(website.id, undo.body));
    toast(`The list ${undo.body.list} has its former URLs again`);
    return reload();
  }
  const { before, after } = undo;
  if (!(await undoing(replace(website.id, after, before)))) {
    toast('Not undone: the settings were changed again since.');
    return reload();
  }
  const redo = undoWith(async () => {
    await replace(website.id, before, after);
    reload();
  });
  toast(`The settings of ${website.name} are as before`, redo);
  reload();
}

/** False if the website has other values than `from`. */
async function replace(id: number, from: Values, to: Values): Promise<boolean> {
  const { website } = await getWebsite(id);
  const now: Values = { ...website };
  if (Object.keys(from).some((name) => !isEqual(now[name], from[name]))) return false;
  const body: Partial<WebsiteFields> = to;
  upsertWebsite((await updateWebsite(id, { ...body, if_updated_at: website.updated_at })).website);
  return true;
}

/** Objects of settings have no nested ones. The log may have their fields in another order. */
const isEqual = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

const textOf = (value: unknown): string =>
  JSON.stringify(
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b))
      : (value ?? null),
  );
