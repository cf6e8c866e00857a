import { useSignal } from '@preact/signals';
import type { SavedView } from '../../../api/client/wire.ts';
import { createSavedView, deleteSavedView, listSavedViews } from '../../../api/redirects.ts';
import { number } from '../../../format.ts';
import { query } from '../../../router.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { mayEdit } from '../../../state/session.ts';
import { toastResult } from '../../../state/toasts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { savedViewUrl } from '../../../urls.ts';
import { ViewDialog } from '../parts.ts';
import { savedQuery } from '../view.ts';

/** The views that the people of the website share, as a menu; editors save, rename, replace and delete them. */
export function SavedViews({ websiteId }: { websiteId: number }) {
  const { data, error, reload } = useResource(`views:${websiteId}`, (signal) => listSavedViews(websiteId, signal));
  const edited = useSignal<SavedView | 'new' | undefined>(undefined);
  const current = savedQuery(query.value);
  const edit = (view: SavedView | 'new'): void => ViewDialog.open(() => (edited.value = view));
  const views = data.value?.views ?? [];
  const open = views.find((view) => view.query === current);
  // The menu focuses its first entry when it opens.
  const label = (
    <>
      {open ? <bdi class="truncate">{open.name}</bdi> : 'Views'}
      {!open && views.length > 0 && <span class="badge">{number(views.length)}</span>}
      <Icon name="down" />
    </>
  );
  if (!data.value && !error.value) return <Button disabled>{label}</Button>;
  return (
    <>
      <Menu buttonClass="button" button={label}>
        {views.map((view) => (
          <div key={view.id} class="row saved-view">
            <a href={savedViewUrl(websiteId, view)} aria-current={view.query === current ? 'true' : undefined}>
              <Icon name="check" />
              <bdi>{view.name}</bdi>
            </a>
            {mayEdit.value && (
              <>
                <IconButton label={`Edit view ${view.name}`} icon="edit" onClick={() => edit(view)} />
                <IconButton
                  label={`Delete view ${view.name}`}
                  icon="trash"
                  onClick={() => removeView(websiteId, view, reload)}
                />
              </>
            )}
          </div>
        ))}
        {views.length === 0 && <p>{error.value?.message ?? 'No views yet. Filter the list, then save the filters.'}</p>}
        {mayEdit.value && <hr />}
        {mayEdit.value && (
          <button type="button" disabled={current === ''} onClick={() => edit('new')}>
            Save current filters
          </button>
        )}
      </Menu>
      {edited.value && (
        <ViewDialog
          websiteId={websiteId}
          existing={edited.value === 'new' ? undefined : edited.value}
          current={current}
          onSaved={reload}
          onClose={() => (edited.value = undefined)}
        />
      )}
    </>
  );
}

function removeView(websiteId: number, { id, name, query: saved }: SavedView, restore: () => void): void {
  const work = deleteSavedView(websiteId, id).then(() => {
    restore();
    return () => createSavedView(websiteId, { name, query: saved });
  });
  toastResult(work, { done: `View ${name} deleted`, failure: 'Could not delete the view', restore });
}
