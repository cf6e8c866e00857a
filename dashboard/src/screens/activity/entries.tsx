/** The rows of the activity and of the audit log: when, who, what, and the fields before and after. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Change, Website } from '../../api/client/wire.ts';
import { fullTime, number, timeOfDay } from '../../format.ts';
import { urlWith } from '../../router.ts';
import { mayEditAt } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import {
  changeIcon,
  changeObject,
  changeText,
  deploymentObject,
  deploymentText,
  groupText,
} from '../../ui/text/change-text.ts';
import { fieldChanges } from '../../ui/form/redirect-fields.ts';
import { ActorName, FieldChanges } from '../../ui/list/field-changes.tsx';
import { ROW } from '../../ui/list/use-rows.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { undo } from '../../ui/undo-change.ts';
import { activityUrl } from '../../urls.ts';
import { auditChanges, auditIcon, auditParts, type Entry, isFailure } from '../audit/audit-text.ts';
import { deploymentError } from '../deployments/deployment-problems.tsx';
import type { ActivityRow } from './groups.ts';
import { UndoSettings } from './undo-settings-button.tsx';

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
  href?: string | undefined;
  text: ComponentChildren;
  badge?: string | undefined;
  /** after the text, in a list of all websites */
  website?: Website | undefined;
  /** below the text */
  children?: ComponentChildren;
}

function EntryCells({ at, icon, isBad = false, title, href, text, badge, website, children, ...actor }: Cells) {
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
          {website && (
            <span class="small muted">
              {' '}
              · <a href={activityUrl(website.id)}>{website.name}</a>
            </span>
          )}
        </p>
        {children}
      </div>
    </>
  );
}

/** A sentence with weight on its object, a name or a path, so that it is found at a glance. */
function Sentence({ parts: [before, object, after] }: { parts: readonly [string, string, string] }) {
  return (
    <>
      {before}
      {object !== '' && <strong>{object.startsWith('/') ? <WrappedPath path={object} /> : object}</strong>}
      {after}
    </>
  );
}

function splitAt(text: string, object: string): readonly [string, string, string] {
  const at = text.indexOf(object);
  return at < 0 ? [text, '', ''] : [text.slice(0, at), object, text.slice(at + object.length)];
}

/** An entry of the audit log, or a change of settings. */
export function AuditCells({ entry, ...cells }: Pick<Cells, 'at' | 'href' | 'website'> & { entry: Entry }) {
  return (
    <EntryCells
      {...cells}
      icon={auditIcon(entry)}
      isBad={isFailure(entry)}
      actor={entry.actor}
      system="Operator"
      title={entry.target ?? undefined}
      text={<Sentence parts={auditParts(entry)} />}
    >
      <FieldChanges changes={auditChanges(entry)} />
    </EntryCells>
  );
}

interface ActivityProps {
  entry: ActivityRow;
  /** further entries of its group may follow on the next page */
  mayContinue: boolean;
  /** whether each entry names its website */
  isOfAll: boolean;
  /** ids of changes whose group is open */
  open: Signal<ReadonlySet<string>>;
  onUndo: (id: string) => void;
  /** after an undo of settings */
  onReload: () => void;
}

/** The lists of resources that belong to the account. */
const OF_ACCOUNT: Record<string, string> = {
  webhook: '/webhooks',
  notice: '/notices',
  user: '/account',
  invitation: '/account',
  api_key: '/account/keys',
  account: '/account',
};

export function ActivityCells({ entry, mayContinue, isOfAll, open, onUndo, onReload }: ActivityProps) {
  const { created_at: at, actor, change, group, deployment, settings } = entry;
  const website = websites.value?.find(({ id }) => id === entry.website_id);
  const named = isOfAll ? website : undefined;
  if (group) return <GroupCells changes={group} isMore={mayContinue} website={named} {...{ open, onUndo, onReload }} />;
  if (change) return <ChangeCells change={change} website={named} onUndo={onUndo} />;
  if (settings) {
    const [subject = ''] = settings.action.split('.');
    const href = OF_ACCOUNT[subject] ?? (website && `/websites/${website.id}/settings`);
    return (
      <>
        <AuditCells at={at} entry={{ ...settings, actor }} href={href} website={named} />
        {website && <UndoSettings settings={settings} website={website} onReload={onReload} />}
      </>
    );
  }
  if (!deployment) return null;
  const isBad = deployment.status === 'failed';
  return (
    <EntryCells
      at={at}
      icon={isBad ? 'warning' : 'deployments'}
      isBad={isBad}
      actor={deployment.actor}
      website={named}
      href={`/websites/${entry.website_id}/deployments?environment=${deployment.environment}`}
      text={<Sentence parts={splitAt(deploymentText(deployment), deploymentObject(deployment))} />}
    >
      {deployment.note !== null && <p class="small muted break">{deployment.note}</p>}
      {deployment.error !== null && <p class="small muted break">{deploymentError(deployment.error)}</p>}
    </EntryCells>
  );
}

function ChangeCells({
  change,
  website,
  onUndo,
}: { change: Change } & Pick<Cells, 'website'> & Pick<ActivityProps, 'onUndo'>) {
  const text = changeText(change);
  const isUndone = change.undone_by !== null;
  return (
    <>
      <EntryCells
        at={change.created_at}
        icon={changeIcon(change)}
        actor={change.actor}
        website={website}
        href={changeUrl(change.id)}
        text={<Sentence parts={splitAt(text, changeObject(change))} />}
        badge={isUndone ? 'Undone' : undefined}
      >
        {change.before && change.after && <FieldChanges changes={fieldChanges(change.before, change.after)} />}
        <UndoLinks change={change} />
      </EntryCells>
      {!isUndone && mayEditAt(change.website_id) && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${text}`} onClick={() => onUndo(change.id)}>
          Undo
        </Button>
      )}
    </>
  );
}

type GroupProps = { changes: readonly Change[]; isMore: boolean } & Pick<Cells, 'website'> &
  Pick<ActivityProps, 'open' | 'onUndo' | 'onReload'>;

/** Changes of one kind, which open below their row. A group stays open while newer or older ones join it. */
function GroupCells({ changes, isMore, website, open, onUndo, onReload }: GroupProps) {
  const undoable = changes.filter((change) => change.undone_by === null && mayEditAt(change.website_id));
  const ids = changes.map(({ id }) => id);
  const isOpen = ids.some((id) => open.value.has(id));
  const [newest, oldest] = [changes[0], changes.at(-1)];
  if (!newest || !oldest) return null;
  const text = groupText(changes, isMore);
  const verb = isOpen ? 'Hide' : 'Show';
  return (
    <>
      <EntryCells
        at={newest.created_at}
        icon={changeIcon(newest)}
        actor={newest.actor}
        website={website}
        title={`${fullTime(oldest.created_at)} – ${fullTime(newest.created_at)}`}
        text={text}
      />
      <Button
        size="small"
        data-key="Enter"
        aria-expanded={isOpen}
        aria-label={`${verb}: ${text}`}
        onClick={() => (open.value = toggled(open.value, ids, isOpen))}
      >
        {verb}
      </Button>
      {isOpen && (
        <ul class="row-list activity-list activity-group" aria-label={text}>
          {changes.map((change) => (
            <li key={change.id} {...ROW}>
              <ChangeCells change={change} website={undefined} onUndo={onUndo} />
            </li>
          ))}
          {undoable.length > 1 && (
            <li>
              <ActionButton
                size="small"
                icon="undo"
                failure="Could not undo all of them"
                onAct={() => undo(undoable.map(({ id }) => id).toReversed(), { onUndone: onReload })}
              >
                Undo all {number(undoable.length)}
              </ActionButton>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function toggled(open: ReadonlySet<string>, ids: readonly string[], wasOpen: boolean): ReadonlySet<string> {
  const next = new Set(open);
  for (const id of ids)
    if (wasOpen) next.delete(id);
    else next.add(id);
  return next;
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
