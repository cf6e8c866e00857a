/** Texts for changes of redirects. */
import type { Change, Undone } from '../api/wire.ts';
import { counted, number } from '../format.ts';
import type { IconName } from './icons.tsx';

/** `what` follows the name of the actor; `with` follows the verb for a single redirect. */
const KINDS: Record<Change['kind'], { icon: IconName; what: string; with: string }> = {
  create: { icon: 'plus', what: 'created', with: '' },
  update: { icon: 'edit', what: 'updated', with: '' },
  delete: { icon: 'trash', what: 'deleted', with: '' },
  bulk_update: { icon: 'edit', what: 'updated', with: 'in a bulk update' },
  bulk_delete: { icon: 'trash', what: 'deleted', with: 'in a bulk deletion' },
  import: { icon: 'import', what: 'imported redirects', with: 'with an import' },
  sync: { icon: 'import', what: 'synced redirects', with: 'with a sync' },
  flatten: { icon: 'health', what: 'flattened chains', with: 'by flattening chains' },
  restore: { icon: 'undo', what: 'restored', with: 'by a restore' },
  undo: { icon: 'undo', what: 'undid a change', with: 'by undoing a change' },
};

export const changeIcon = ({ kind }: Pick<Change, 'kind'>): IconName => KINDS[kind].icon;

/** Describes the change and its redirect, or the number of its redirects; follows the name of the actor. */
export function changeText({
  kind,
  counts,
  fields,
  old_path,
}: Pick<Change, 'kind' | 'counts' | 'fields' | 'old_path'>): string {
  const { what } = KINDS[kind];
  const total = counts.created + counts.updated + counts.deleted;
  const names = what === 'updated' && fields ? fieldNames(fields) : '';
  if (names !== '') return `changed ${names} of ${old_path ?? counted(total, 'redirect')}`;
  if (!what.includes(' ')) return `${what} ${old_path ?? counted(total, 'redirect')}`;
  const effect = countsText(counts) || 'nothing to change';
  return `${what}: ${effect}${old_path === null ? '' : `, ${old_path}`}`;
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

/** `12 created, 3 updated`. */
function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(', ');
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
export function historyText(entry: States & Pick<Change, 'kind'>): string {
  return `${itemVerb(entry)} it ${KINDS[entry.kind].with}`.trim();
}

/** The result of undoing a change. Redirects that were recreated count as restored. */
export function undoneText({ undo: { restored, recreated, deleted, conflicts } }: Undone): string {
  const done = countsText({ restored: restored + recreated, deleted });
  const kept = conflicts === 0 ? '' : `${counted(conflicts, 'redirect')} left unchanged`;
  if (done === '') return kept === '' ? 'Nothing to undo' : `Nothing undone: ${kept}`;
  return `Undone: ${[done, kept].filter(Boolean).join('; ')}`;
}
