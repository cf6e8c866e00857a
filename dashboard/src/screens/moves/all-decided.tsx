/** In place of the undecided rows of a decided move: the way to apply it. Above all rows: when it was applied. */
import { fetchChange } from '../../api/changes.ts';
import type { Move } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { activityUrl } from '../../urls.ts';
import type { Desk } from './desk.ts';

/** Opens a panel once what was decided is stored. */
export const openPanel = ({ queue }: Desk, panel: string) => void queue.flush().then(() => setQuery({ panel }));

/** In place of the undecided rows. */
export function AllDecided({ desk, isApplied }: { desk: Desk; isApplied: boolean }) {
  return (
    <Empty
      icon="check"
      title="Every row is decided"
      actions={
        <>
          {mayEdit.value && !isApplied && (
            <Button kind="primary" onClick={() => openPanel(desk, 'apply')}>
              Apply the move
            </Button>
          )}
          <Button onClick={() => setQuery({ decision: 'all' })}>Show all rows</Button>
        </>
      }
    >
      {!isApplied && 'Nothing is redirected before the move is applied.'}
    </Empty>
  );
}

/** When the move was last applied, and what that wrote. A change is kept for a while only. */
export function Applied({ move }: { move: Pick<Move, 'website_id' | 'applied_at' | 'change_id'> }) {
  const { website_id: websiteId, applied_at: at, change_id: id } = move;
  const { data } = useResource(`applied:${id}`, async (signal) =>
    id === null ? undefined : (await fetchChange(id, { limit: 1 }, signal)).change,
  );
  if (at === null) return null;
  const change = data.value;
  return (
    <p>
      <span class="badge ok">Applied</span> <Time at={at} />
      {id === null && ', without a change.'}
      {change && (
        <>
          :{' '}
          <a href={activityUrl(Number(websiteId), { change: change.id })}>
            {counted(change.counts.created + change.counts.updated, 'redirect')} written
          </a>
          {change.undone_by !== null && ', undone since'}.
        </>
      )}
    </p>
  );
}
