/** Texts for the figures of a website. */
import type { WebsiteFigures } from '../../api/client/wire.ts';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { changeText } from '../../ui/text/change-text.ts';
import { Time } from '../../ui/text/time.tsx';
import { activityUrl } from '../../urls.ts';

/** The newest change of redirects with its author and time; links to it. */
export function LastChange({ website_id: id, last_change: change }: WebsiteFigures) {
  if (!change) return <>No change in 30 days</>;
  return (
    <span class="break">
      <ActorName actor={change.actor} />{' '}
      <a href={activityUrl(Number(id), { change: change.id })}>{changeText(change)}</a>, <Time at={change.created_at} />
    </span>
  );
}

/** Hits of the last 7 days. */
export const weekHits = ({ hits }: WebsiteFigures): number => hits.reduce((sum, count) => sum + count, 0);
