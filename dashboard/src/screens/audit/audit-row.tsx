import type { AuditEntry } from '../../api/wire.ts';
import { ActorName, FieldChanges } from '../../ui/field-changes.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { RowStart } from '../activity/days.tsx';
import { deviceOf } from '../profile/device.ts';
import { auditChanges, auditIcon, auditText, isFailure } from './audit-text.ts';

/** An entry of the audit log: when, who, what, and from where. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { created_at: at, actor, target } = entry;
  return (
    <li {...ROW}>
      <RowStart at={at} icon={auditIcon(entry)} isBad={isFailure(entry)} />
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
