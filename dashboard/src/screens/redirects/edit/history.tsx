import { fetchHistory } from '../../../api/changes.ts';
import type { HistoryEntry, Redirect } from '../../../api/client/wire.ts';
import { fullTime } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { useOnChange } from '../../../state/resource/use-resource.ts';
import { usePages } from '../../../state/resource/use-pages.ts';
import { historyText } from '../../../ui/text/change-text.ts';
import { ActorName, FieldChanges } from '../../../ui/list/field-changes.tsx';
import { LoadMore } from '../../../ui/list/resource-list.tsx';
import { fieldChanges } from '../../../ui/form/redirect-fields.ts';
import { Loaded } from '../../../ui/page/states.tsx';
import { Time } from '../../../ui/text/time.tsx';
import { activityUrl } from '../../../urls.ts';

const PAGE_SIZE = 5;

/** A former state of a redirect, which can be restored. */
export type Version = NonNullable<HistoryEntry['after']>;

/**
 * The last change of a redirect, and its changes, newest first: who, how, when, and the fields before
 * and after. `onRestore`: undefined if the user may not edit.
 */
export function History({
  redirect,
  onRestore,
}: {
  redirect: Redirect;
  onRestore: ((version: Version) => void) | undefined;
}) {
  const { id, website_id: websiteId } = redirect;
  const pages = usePages(
    `history:${id}`,
    (cursor, signal) => fetchHistory(id, { cursor, limit: PAGE_SIZE }, signal),
    (page) => page.history,
  );
  useOnChange(redirect.updated_at, pages.reload);
  return (
    <>
      <Dates redirect={redirect} last={pages.data.value?.[0]} />
      <section class="stack history" aria-labelledby="history">
        <h3 id="history">History</h3>
        <Loaded of={pages} lines={2}>
          {(history) =>
            history.length === 0 ? (
              <p class="small muted">No changes in the last 30 days.</p>
            ) : (
              <ol class="stack small">
                {history.map((entry, at) => (
                  <Entry
                    key={entry.change_id}
                    entry={entry}
                    websiteId={websiteId}
                    onRestore={at === 0 ? undefined : onRestore}
                  />
                ))}
              </ol>
            )
          }
        </Loaded>
        <LoadMore pages={pages} />
      </section>
    </>
  );
}

/** `last`: the last change; undefined while it loads, and if it is older than 30 days. */
function Dates({ redirect, last }: { redirect: Redirect; last: HistoryEntry | undefined }) {
  const created = (
    <>
      Created <Time at={redirect.created_at} />
    </>
  );
  return (
    <p class="muted small break">
      {last ? (
        <>
          {last.before ? 'Changed' : 'Created'} by <ActorName actor={last.actor} />, <Time at={last.created_at} />.{' '}
          {last.before && <>{created}.</>}
        </>
      ) : (
        <>
          {created}, changed <Time at={redirect.updated_at} />.
        </>
      )}{' '}
      ID {redirect.id}. <a href={activityUrl(redirect.website_id, { path: redirect.old_path })}>Activity</a>
    </p>
  );
}

function Entry({
  entry,
  websiteId,
  onRestore,
}: {
  entry: HistoryEntry;
  websiteId: number;
  onRestore: ((version: Version) => void) | undefined;
}) {
  const { actor, before, after, created_at: at, change_id: changeId } = entry;
  return (
    <li>
      <p class="break">
        <ActorName actor={actor} /> <a href={activityUrl(websiteId, { change: changeId })}>{historyText(entry)}</a>{' '}
        <span class="muted">
          <Time at={at} />
        </span>
      </p>
      {before && after && <FieldChanges changes={fieldChanges(before, after)} />}
      {after && onRestore && (
        <Button size="small" icon="undo" onClick={() => onRestore(after)}>
          Restore this version<span class="unseen"> of {fullTime(at)}</span>
        </Button>
      )}
    </li>
  );
}
