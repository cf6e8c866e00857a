import type { AuditEntry } from '../../api/wire.ts';
import { fullTime, timeOfDay } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { ActorName, FieldChanges } from '../activity/event-row.tsx';
import { deviceOf } from '../profile/device.ts';
import { auditChanges, auditIcon, auditText, isFailure } from './audit-text.ts';

/** An entry of the audit log: when, who, what, and from where. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { created_at: at, actor, target } = entry;
  return (
    <li {...ROW}>
      <time class="small muted" dateTime={at} title={fullTime(at)}>
        {timeOfDay(Date.parse(at))}
      </time>
      <span class={isFailure(entry) ? 'activity-icon bad' : 'activity-icon'}>
        <Icon name={auditIcon(entry)} />
      </span>
      <div class="activity-text">
        <p class="break" title={target ?? undefined}>
          <ActorName actor={actor} system="Operator" /> {auditText(entry)}
        </p>
        <FieldChanges changes={auditChanges(entry)} />
      </div>
      <Origin entry={entry} />
    </li>
  );
}

/** The client's address and device. Entries of the admin command have none. */
function Origin({ entry: { actor, address, user_agent: userAgent } }: { entry: AuditEntry }) {
  if (address === null)
    return <code class="small muted audit-origin">{actor.type === 'system' && 'npm run admin'}</code>;
  return (
    <span class="small muted audit-origin">
      <span title={userAgent ?? undefined}>{deviceOf(userAgent)}</span>
      <span class="mono break">{address}</span>
    </span>
  );
}
