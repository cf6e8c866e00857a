/** What an event tells, in words. */
import type { ActivityEvent, EventData, EventRedirect } from '../../api/events.ts';
import { counted, number } from '../../format.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import type { IconName } from '../../ui/icons.tsx';

export interface Happening {
  icon: IconName;
  tone: '' | 'danger';
  /** a verb and more, after the name of who did it */
  text: string;
  /** where it can be seen, behind `/websites/:websiteId` */
  to?: string;
}

export function happeningOf({ event, data }: ActivityEvent): Happening {
  const { redirect, bulk, deployment } = data;
  if (bulk)
    return {
      ...LOOKS[event],
      text: `${VERBS[event] ?? event} ${counted(bulk.count, 'redirect')} by a filter`,
    };
  if (redirect) {
    const isThere = event !== 'redirect.deleted';
    return {
      ...LOOKS[event],
      text: `${VERBS[event] ?? event} ${ruleText(redirect)}`,
      ...(isThere && { to: `/redirects?open=${redirect.id}` }),
    };
  }
  if (deployment) return { ...LOOKS[event], text: deploymentText(event, deployment), to: '/deployments' };
  return { ...LOOKS[event], text: transferText(data) ?? event };
}

const LOOKS: Record<ActivityEvent['event'], { icon: IconName; tone: '' | 'danger' }> = {
  'redirect.created': { icon: 'plus', tone: '' },
  'redirect.updated': { icon: 'edit', tone: '' },
  'redirect.deleted': { icon: 'trash', tone: '' },
  'deployment.started': { icon: 'deployments', tone: '' },
  'deployment.completed': { icon: 'deployments', tone: '' },
  'deployment.failed': { icon: 'warning', tone: 'danger' },
  'bulk_import.completed': { icon: 'import', tone: '' },
  'bulk_export.completed': { icon: 'file', tone: '' },
};

const VERBS: { [Kind in ActivityEvent['event']]?: string } = {
  'redirect.created': 'created',
  'redirect.updated': 'changed',
  'redirect.deleted': 'deleted',
};

const ruleText = ({ old_path, new_path, status_code }: EventRedirect): string =>
  new_path === null ? `${old_path} (${status_code})` : `${old_path} → ${new_path}`;

function deploymentText(event: string, deployment: NonNullable<EventData['deployment']>): string {
  const where = ENVIRONMENT_LABEL[deployment.environment].toLowerCase();
  if (event === 'deployment.started') return `began to deploy to ${where}`;
  if (event === 'deployment.failed') return `failed to deploy to ${where}: ${deployment.error ?? ''}`;
  const size =
    deployment.redirect_count === null ? '' : ` with ${counted(deployment.redirect_count, 'redirect')}`;
  return `deployed version ${deployment.version ?? ''} to ${where}${size}`;
}

function transferText(data: EventData): string | undefined {
  if (data.export) return `exported ${counted(data.export.total_count, 'redirect')} as ${data.export.format}`;
  if (!data.import) return undefined;
  const { created, updated, skipped, errors } = data.import.summary;
  const more = [
    updated > 0 && `${number(updated)} updated`,
    skipped > 0 && `${number(skipped)} skipped`,
    errors > 0 && counted(errors, 'error'),
  ].filter((part) => part !== false);
  return `imported ${counted(created, 'redirect')}${more.length > 0 ? `; ${more.join(', ')}` : ''}`;
}

export interface FieldChange {
  label: string;
  before: string;
  after: string;
}

const FIELDS = [
  ['old_path', 'From'],
  ['new_path', 'To'],
  ['status_code', 'Status'],
  ['is_regex', 'Pattern'],
  ['group_id', 'Group'],
  ['notes', 'Notes'],
  ['target_environments', 'Environments'],
] as const;

/** Each field that a change of one redirect touched, before and after. */
export function changesOf({ redirect, previous }: EventData): FieldChange[] {
  if (!redirect || !previous) return [];
  return FIELDS.filter(([name]) => Object.hasOwn(previous, name)).map(([name, label]) => ({
    label,
    before: textOf(previous[name]),
    after: textOf(redirect[name]),
  }));
}

function textOf(value: EventRedirect[keyof EventRedirect] | undefined): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}
