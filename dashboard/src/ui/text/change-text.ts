/** Texts for changes of redirects, and for deployments. */
import type { Change, Deployment } from '../../api/client/wire.ts';
import { isGateError } from '../../api/deployments.ts';
import { counted, countsText, number } from '../../format.ts';
import type { IconName } from '../icons.tsx';
import { ENVIRONMENT_LABEL } from './environment.tsx';
import { versionName } from './version-name.ts';

/** `what` follows the name of the actor, `with` the verb for a single redirect; `noun` is the change that was undone. */
const KINDS: Record<Change['kind'], { icon: IconName; what: string; with: string; noun: string }> = {
  create: { icon: 'plus', what: 'created', with: '', noun: 'the creation' },
  update: { icon: 'edit', what: 'updated', with: '', noun: 'an edit' },
  delete: { icon: 'trash', what: 'deleted', with: '', noun: 'the deletion' },
  bulk_update: { icon: 'edit', what: 'updated', with: 'in a bulk update', noun: 'a bulk update' },
  bulk_delete: { icon: 'trash', what: 'deleted', with: 'in a bulk deletion', noun: 'a bulk deletion' },
  import: { icon: 'import', what: 'imported redirects', with: 'with an import', noun: 'an import' },
  sync: { icon: 'import', what: 'synced redirects', with: 'with a sync', noun: 'a sync' },
  flatten: { icon: 'health', what: 'flattened chains', with: 'by flattening chains', noun: 'the flattening of chains' },
  promote: { icon: 'deployments', what: 'updated', with: 'with a promotion', noun: 'the targeting of a promotion' },
  restore: { icon: 'undo', what: 'restored', with: 'by a restore', noun: 'a restore' },
  undo: { icon: 'undo', what: 'undid a change', with: 'by undoing a change', noun: 'an undo' },
  discard: { icon: 'undo', what: 'discarded changes', with: 'by discarding changes', noun: 'a discard' },
};

export const changeIcon = ({ kind }: Pick<Change, 'kind'>): IconName => KINDS[kind].icon;

type Named = Pick<Change, 'kind' | 'counts' | 'fields' | 'old_path' | 'file_name' | 'undid'>;

/** Describes the change and its redirect, or the number of its redirects; follows the name of the actor. */
export function changeText({ kind, counts, fields, old_path, file_name: file, undid }: Named): string {
  const total = totalOf(counts);
  const redirects = old_path ?? counted(total, 'redirect');
  if (kind === 'undo') {
    const stayed = undid ? totalOf(undid.counts) - total : 0;
    const effect = total === 0 ? 'no redirect changed' : redirects;
    return `undid ${undid ? nounOf(undid) : 'a change'}: ${effect}${stayed > 0 ? `; ${number(stayed)} stayed` : ''}`;
  }
  const { what } = KINDS[kind];
  const names = what === 'updated' && fields ? fieldNames(fields) : '';
  if (names !== '') return `changed ${names} of ${redirects}`;
  if (!what.includes(' ')) return `${what} ${redirects}`;
  const effect = countsText(counts) || 'no redirect changed';
  return `${file === null ? what : `imported ${file}`}: ${effect}${old_path === null ? '' : `, ${old_path}`}`;
}

const totalOf = ({ created, updated, deleted }: Change['counts']): number => created + updated + deleted;

type Undid = NonNullable<Change['undid']>;

/** `the import of moves.csv`, `the change of the group`. */
function nounOf({ kind, fields, file_name: file }: Pick<Undid, 'kind' | 'fields' | 'file_name'>): string {
  if (file !== null) return `the import of ${file}`;
  const names = KINDS[kind].what === 'updated' && fields ? fieldNames(fields) : '';
  return names === '' ? KINDS[kind].noun : `the change of ${names}`;
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  old_path: 'the path',
  new_path: 'the target',
  status_code: 'the status',
  is_regex: 'the pattern option',
  group_id: 'the group',
  notes: 'the notes',
  target_environments: 'the environments',
  active_from: 'the schedule',
  active_until: 'the schedule',
};

const MAX_NAMES = 3;
const and = new Intl.ListFormat('en', { type: 'conjunction' });

/** `the group and the status`; '' if there are too many fields. */
function fieldNames(fields: readonly string[]): string {
  const names = new Set(fields.map((field) => FIELD_NAMES[field]).filter((name) => name !== undefined));
  return names.size > MAX_NAMES ? '' : and.format(names);
}

const GROUP_VERBS: Readonly<Record<string, string>> = { create: 'created', update: 'edited', delete: 'deleted' };

/**
 * Describes changes of single redirects of one kind as one: `changed the target of 10 redirects`, `edited /a 3 times`.
 * `isMore`: there are more of them. Follows the name of the actor.
 */
export function groupText(changes: readonly Named[], isMore: boolean): string {
  const [first] = changes;
  if (!first) return '';
  const paths = new Set(changes.map(({ old_path: path }) => path));
  const atLeast = isMore ? 'at least ' : '';
  const objects = paths.size === 1 ? first.old_path : `${atLeast}${counted(paths.size, 'redirect')}`;
  const isSame = changes.every(({ fields }) => String(fields) === String(first.fields));
  const names = isSame && first.fields ? fieldNames(first.fields) : '';
  const text = names === '' ? `${GROUP_VERBS[first.kind]} ${objects}` : `changed ${names} of ${objects}`;
  if (paths.size === changes.length) return text;
  return paths.size === 1
    ? `${text} ${atLeast}${number(changes.length)} times`
    : `${text} in ${number(changes.length)} changes`;
}

/** A redirect before and after a change; null: it did not exist. */
interface States {
  before: object | null;
  after: object | null;
}

/** The effect of a change on one redirect. */
export function itemVerb({ before, after }: States): 'created' | 'updated' | 'deleted' {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}

/** Describes the change of one redirect with its operation; follows the name of the actor. */
export function historyText(entry: States & Pick<Change, 'kind' | 'file_name' | 'undid'>): string {
  const { kind, file_name: file, undid } = entry;
  const how = undid ? `by undoing ${nounOf(undid)}` : file === null ? KINDS[kind].with : `with the import of ${file}`;
  return `${itemVerb(entry)} it ${how}`.trim();
}

type Shown = Pick<Deployment, 'kind' | 'status' | 'environment' | 'source' | 'version' | 'redirect_count' | 'error'>;

/** Describes the deployment; follows the name of the actor. */
export function deploymentText(deployment: Shown): string {
  const { kind, status, environment, source, redirect_count: count } = deployment;
  const to = ENVIRONMENT_LABEL[environment].toLowerCase();
  const isStopped = isGateError(deployment.error);
  const automatic = `the automatic deployment to ${to}`;
  if (kind === 'automatic')
    return `changed redirects, but ${isStopped ? `the gate stopped ${automatic}` : `${automatic} failed`}`;
  const from = source ? `version ${source.version}` : '';
  const size = count === null ? '' : ` with ${counted(count, 'redirect')}`;
  const [begin, done] =
    kind === 'rollback'
      ? [`roll ${to} back to ${from}`, `rolled ${to} back: ${versionName(deployment)}`]
      : kind === 'promote'
        ? [`promote ${from} of ${sourceOf(source)} to ${to}`, `promoted ${from} of ${sourceOf(source)} to ${to}`]
        : [`deploy to ${to}`, `deployed ${versionName(deployment)} to ${to}${size}`];
  if (status === 'completed') return done;
  if (isStopped) return `began to ${begin}, and the gate stopped it`;
  return status === 'failed' ? `failed to ${begin}` : `began to ${begin}`;
}

const sourceOf = (source: Shown['source']): string =>
  source ? ENVIRONMENT_LABEL[source.environment].toLowerCase() : '';

/** The part of `changeText` that names its object; it may lack it. */
export const changeObject = ({ counts, old_path, file_name }: Pick<Change, 'counts' | 'old_path' | 'file_name'>) =>
  old_path ?? file_name ?? counted(totalOf(counts), 'redirect');

/** The part of `deploymentText` that names its object. */
export function deploymentObject(deployment: Omit<Shown, 'redirect_count' | 'error'>): string {
  const { kind, status, environment, source } = deployment;
  const isDone = status === 'completed';
  if (source && !(isDone && kind === 'rollback')) return `version ${source.version}`;
  return isDone ? versionName(deployment) : ENVIRONMENT_LABEL[environment].toLowerCase();
}
