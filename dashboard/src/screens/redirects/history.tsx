import { fetchHistory } from '../../api/changes.ts';
import type { HistoryEntry, Redirect } from '../../api/wire.ts';
import { usePages } from '../../state/use-pages.ts';
import { historyText } from '../../ui/change-text.ts';
import { ActorName, FieldChanges } from '../../ui/field-changes.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { fieldChanges } from '../../ui/redirect-fields.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { activityUrl } from '../../urls.ts';

const PAGE_SIZE = 5;

/** The changes of a redirect, newest first: who, how, when, and the fields before and after. */
export function History({ redirect: { id, website_id: websiteId } }: { redirect: Redirect }) {
  const pages = usePages(`history:${id}`, async (cursor, signal) => {
    const page = await fetchHistory(id, { cursor, limit: PAGE_SIZE }, signal);
    return { rows: page.history, next: page.next_cursor };
  });
  const history = pages.rows.value;
  const error = pages.error.value;
  return (
    <section class="history" aria-labelledby="history">
      <h3 id="history">History</h3>
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!history && !error && <Skeleton lines={2} />}
      {history?.length === 0 && <p class="small muted">No changes in the last 30 days.</p>}
      {history && history.length > 0 && (
        <ol class="small">
          {history.map((entry) => (
            <Entry key={entry.change_id} entry={entry} websiteId={websiteId} />
          ))}
        </ol>
      )}
      <LoadMore pages={pages} />
    </section>
  );
}

function Entry({ entry, websiteId }: { entry: HistoryEntry; websiteId: number }) {
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
    </li>
  );
}
