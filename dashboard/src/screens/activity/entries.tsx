/** The rows of the activity and of the audit log: when, who, what, and the fields before and after. */
import type { ComponentChildren } from 'preact';
import type { ActivityEntry, Change } from '../../api/client/wire.ts';
import { fullTime, timeOfDay } from '../../format.ts';
import { urlWith } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { changeIcon, changeText, deploymentText } from '../../ui/text/change-text.ts';
import { ActorName, FieldChanges } from '../../ui/list/field-changes.tsx';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { TextWithPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { auditChanges, auditIcon, auditText, type Entry, isFailure } from '../audit/audit-text.ts';
import { deploymentError } from '../deployments/deployment-problems.tsx';

interface Cells {
  at: string;
  icon: IconName;
  isBad?: boolean;
  actor: Parameters<typeof ActorName>[0]['actor'];
  /** the name of the system */
  system?: string;
  /** the tooltip */
  title?: string | undefined;
  /** opens the entry */
  href?: string;
  text: ComponentChildren;
  badge?: string | undefined;
  /** below the text */
  children?: ComponentChildren;
}

function EntryCells({ at, icon, isBad = false, title, href, text, badge, children, ...actor }: Cells) {
  return (
    <>
      <time class="small muted" dateTime={at} title={fullTime(at)}>
        {timeOfDay(Date.parse(at))}
      </time>
      <span class={`activity-icon ${isBad ? 'bad' : 'muted'}`}>
        <Icon name={icon} />
      </span>
      <div class="activity-text">
        <p class="break" title={title}>
          <ActorName {...actor} />{' '}
          {href === undefined ? (
            text
          ) : (
            <a href={href} data-key="Enter">
              {text}
            </a>
          )}
          {badge !== undefined && <span class="badge">{badge}</span>}
        </p>
        {children}
      </div>
    </>
  );
}

/** An entry of the audit log, or a change of settings. */
export function AuditCells({ at, entry, href }: { at: string; entry: Entry; href?: string }) {
  return (
    <EntryCells
      at={at}
      icon={auditIcon(entry)}
      isBad={isFailure(entry)}
      actor={entry.actor}
      system="Operator"
      title={entry.target ?? undefined}
      {...(href !== undefined && { href })}
      text={auditText(entry)}
    >
      <FieldChanges changes={auditChanges(entry)} />
    </EntryCells>
  );
}

interface ActivityProps {
  entry: ActivityEntry;
  websiteId: number;
  /** undefined if the user may not undo */
  onUndo: ((id: string) => void) | undefined;
}

/** The lists of resources that belong to the account. */
const OF_ACCOUNT: Record<string, string> = { webhook: '/webhooks', notice: '/notices' };

export function ActivityCells({ entry, websiteId, onUndo }: ActivityProps) {
  const { created_at: at, actor, change, deployment, settings } = entry;
  if (change) return <ChangeCells change={change} onUndo={onUndo} />;
  if (settings) {
    const [subject = ''] = settings.action.split('.');
    const href = OF_ACCOUNT[subject] ?? `/websites/${websiteId}/settings`;
    return <AuditCells at={at} entry={{ ...settings, actor }} href={href} />;
  }
  if (!deployment) return null;
  const isBad = deployment.status === 'failed';
  return (
    <EntryCells
      at={at}
      icon={isBad ? 'warning' : 'deployments'}
      isBad={isBad}
      actor={deployment.actor}
      href={`/websites/${websiteId}/deployments?environment=${deployment.environment}`}
      text={deploymentText(deployment)}
    >
      {deployment.note !== null && <p class="small muted break">{deployment.note}</p>}
      {deployment.error !== null && <p class="small muted break">{deploymentError(deployment.error)}</p>}
    </EntryCells>
  );
}

function ChangeCells({ change, onUndo }: { change: Change } & Pick<ActivityProps, 'onUndo'>) {
  const text = changeText(change);
  const isUndone = change.undone_by !== null;
  return (
    <>
      <EntryCells
        at={change.created_at}
        icon={changeIcon(change)}
        actor={change.actor}
        href={changeUrl(change.id)}
        text={<TextWithPath text={text} path={change.old_path} />}
        badge={isUndone ? 'Undone' : undefined}
      >
        <UndoLinks change={change} />
      </EntryCells>
      {onUndo && !isUndone && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${text}`} onClick={() => onUndo(change.id)}>
          Undo
        </Button>
      )}
    </>
  );
}

/** The links of an undo to what it undid, and of an undone change to its undo, with actor and time. */
export function UndoLinks({ change: { undoes, undone, undone_by: id } }: { change: Change }) {
  return (
    <>
      {undoes !== null && (
        <p class="small muted">
          <a href={changeUrl(undoes)}>View what was undone</a>
        </p>
      )}
      {undone && id !== null && (
        <p class="small muted break">
          Undone by <ActorName actor={undone.actor} />, <Time at={undone.created_at} />.{' '}
          <a href={changeUrl(id)}>View the undo</a>
        </p>
      )}
    </>
  );
}

/** This list with the panel of the change open. */
const changeUrl = (id: string): string => urlWith({ change: id });
