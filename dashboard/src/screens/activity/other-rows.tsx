import type { ActivityEntry } from '../../api/wire.ts';
import { deploymentText } from '../../ui/deployment-text.ts';
import { ActorName, FieldChanges } from '../../ui/field-changes.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { auditChanges, auditIcon, auditText, type Entry } from '../audit/audit-text.ts';
import { deploymentError } from '../deployments/deployment-problems.tsx';
import { RowStart } from './days.tsx';

/** A deployment in the list. */
export function DeploymentRow({
  at,
  deployment,
  websiteId,
}: {
  at: string;
  deployment: NonNullable<ActivityEntry['deployment']>;
  websiteId: number;
}) {
  const { environment, status, actor, error, note } = deployment;
  const isBad = status === 'failed';
  return (
    <li {...ROW}>
      <RowStart at={at} icon={isBad ? 'warning' : 'deployments'} isBad={isBad} />
      <div class="activity-text">
        <p class="break">
          <ActorName actor={actor} />{' '}
          <a href={`/websites/${websiteId}/deployments?environment=${environment}`} data-key="Enter">
            {deploymentText(deployment)}
          </a>
        </p>
        {note !== null && <p class="small muted break">{note}</p>}
        {error !== null && <p class="small muted break">{deploymentError(error)}</p>}
      </div>
    </li>
  );
}

/** A change of settings in the list. */
export function SettingsRow({ at, entry, websiteId }: { at: string; entry: Entry; websiteId: number }) {
  const isWebhook = entry.action.startsWith('webhook.');
  return (
    <li {...ROW}>
      <RowStart at={at} icon={auditIcon(entry)} />
      <div class="activity-text">
        <p class="break" title={entry.target ?? undefined}>
          <ActorName actor={entry.actor} system="Operator" />{' '}
          <a href={isWebhook ? '/webhooks' : `/websites/${websiteId}/settings`} data-key="Enter">
            {auditText(entry)}
          </a>
        </p>
        <FieldChanges changes={auditChanges(entry)} />
      </div>
    </li>
  );
}
