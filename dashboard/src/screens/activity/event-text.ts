/** Texts for activity events. */
import type { ActivityEvent } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import type { IconName } from '../../ui/icons.tsx';
import { type FieldChange, fieldChanges } from '../../ui/redirect-fields.ts';

type DataOf<Kind extends ActivityEvent['event']> = Extract<ActivityEvent, { event: Kind }>['data'];
type EventRedirect = NonNullable<DataOf<'redirect.created'>['redirect']>;
type DeploymentEvent = Extract<ActivityEvent, { event: `deployment.${string}` }>;

export interface EventText {
  icon: IconName;
  tone: '' | 'danger';
  /** follows the name of the actor */
  text: string;
  /** path of the related page, relative to `/websites/:websiteId` */
  to?: string;
}

export function eventText(activity: ActivityEvent): EventText {
  const look = LOOKS[activity.event];
  switch (activity.event) {
    case 'redirect.created':
    case 'redirect.updated':
    case 'redirect.deleted': {
      const verb = VERBS[activity.event];
      const redirect = redirectOf(activity);
      if (!redirect) return { ...look, text: `${verb} ${counted(bulkCount(activity), 'redirect')} in bulk` };
      const exists = activity.event !== 'redirect.deleted';
      return {
        ...look,
        text: `${verb} ${ruleText(redirect)}`,
        ...(exists && { to: `/redirects?open=${redirect.id}` }),
      };
    }
    case 'deployment.started':
    case 'deployment.completed':
    case 'deployment.failed':
      return { ...look, text: deploymentText(activity), to: '/deployments' };
    case 'bulk_import.completed':
      return { ...look, text: importText(activity.data.import) };
    case 'bulk_export.completed': {
      const { total_count: count, format } = activity.data.export;
      return { ...look, text: `exported ${counted(count, 'redirect')} as ${format}` };
    }
  }
}

/** Names of the event types in the filter. */
export const EVENT_TYPE_LABELS: Record<ActivityEvent['event'], string> = {
  'redirect.created': 'Redirect created',
  'redirect.updated': 'Redirect updated',
  'redirect.deleted': 'Redirect deleted',
  'deployment.started': 'Deployment started',
  'deployment.completed': 'Deployment completed',
  'deployment.failed': 'Deployment failed',
  'bulk_import.completed': 'Import completed',
  'bulk_export.completed': 'Export completed',
};

/** The redirect of an event; null for bulk changes and other events. */
export const redirectOf = ({ data }: ActivityEvent): EventRedirect | null =>
  'redirect' in data ? data.redirect : null;

const bulkCount = ({ data }: ActivityEvent): number => ('bulk' in data ? data.bulk.count : 0);

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

const VERBS = {
  'redirect.created': 'created',
  'redirect.updated': 'updated',
  'redirect.deleted': 'deleted',
};

const ruleText = ({ old_path, new_path, status_code }: EventRedirect): string =>
  new_path === null ? `${old_path} (${status_code})` : `${old_path} → ${new_path}`;

function deploymentText({ event, data: { deployment } }: DeploymentEvent): string {
  const environment = ENVIRONMENT_LABEL[deployment.environment].toLowerCase();
  if (event === 'deployment.started') return `started a deployment to ${environment}`;
  if (event === 'deployment.failed')
    return `failed to deploy to ${environment}: ${(deployment.error ?? '').replace(/^EXPECTATIONS_\w+: /, '')}`;
  const size = deployment.redirect_count === null ? '' : ` with ${counted(deployment.redirect_count, 'redirect')}`;
  return `deployed version ${deployment.version ?? ''} to ${environment}${size}`;
}

function importText({ summary }: DataOf<'bulk_import.completed'>['import']): string {
  const { created, updated, skipped, errors } = summary;
  const more = [
    updated > 0 && `${number(updated)} updated`,
    skipped > 0 && `${number(skipped)} skipped`,
    errors > 0 && counted(errors, 'error'),
  ].filter((part) => part !== false);
  return `imported ${counted(created, 'redirect')}${more.length > 0 ? `; ${more.join(', ')}` : ''}`;
}

/** The changed fields of a redirect, before and after. */
export function changesOf({ data }: ActivityEvent): FieldChange[] {
  if (!('previous' in data) || data.redirect === null) return [];
  return fieldChanges(data.previous, data.redirect, Object.keys(data.previous));
}
