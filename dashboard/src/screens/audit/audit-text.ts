/** Texts for entries of the audit log. */
import type { AuditAction } from '../../../../src/vocabulary/audit.ts';
import type { AuditEntry } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import type { IconName } from '../../ui/icons.tsx';
import { type FieldChange, valueText } from '../../ui/form/redirect-fields.ts';
import { settingChange } from './setting-text.ts';

/**
 * The name of each action in the filter, and the template of `auditParts`: `{}` is the target, and `{role}` the detail
 * of that name.
 */
const ACTIONS: Record<AuditAction, readonly [label: string, text: string]> = {
  'user.signed_in': ['Signed in', 'signed in'],
  'user.sign_in_failed': ['Sign-in failed', 'failed to sign in: wrong password or code'],
  'user.sign_in_code_required': [
    'Password accepted, code required',
    'was asked for a code: the password or the reset link was right',
  ],
  'user.sign_in_blocked': ['Sign-in blocked', 'was blocked for up to 15 minutes: too many failed attempts'],
  'user.sign_in_failures_omitted': [
    'Further failed sign-ins',
    'failed to sign in again. The log has {recorded_per_hour} failures an hour; further ones are not listed',
  ],
  'user.signed_out': ['Signed out', 'signed out'],
  'user.signed_up': ['Signed up', 'signed up'],
  'user.session_ended': ['Session ended', 'ended another session'],
  'user.password_confirmed': ['Password confirmed', 'confirmed the password'],
  'user.password_changed': ['Password changed', 'changed the password'],
  'user.password_reset_requested': ['Password reset link created', 'created a password reset link for {}'],
  'user.password_reset': ['Password reset', 'set a new password for {}'],
  'user.totp_enabled': ['Two-factor sign-in turned on', 'turned on two-factor sign-in'],
  'user.totp_disabled': ['Two-factor sign-in turned off', 'turned off two-factor sign-in of {}'],
  'user.recovery_code_used': ['Recovery code used', 'used a recovery code'],
  'user.recovery_codes_renewed': ['Recovery codes renewed', 'got new recovery codes; the former ones are invalid'],
  'user.added': ['User added', 'added the user {} as {role}'],
  'user.removed': ['User removed', 'removed the user {}'],
  'user.role_changed': ['Role changed', 'changed the role of {} from {from} to {to}'],
  'user.websites_changed': ['Websites of a user changed', 'changed the websites of {}'],
  'invitation.created': ['Invitation created', 'invited {} as {role}'],
  'invitation.revoked': ['Invitation withdrawn', 'withdrew the invitation of {}'],
  'invitation.accepted': ['Invitation accepted', 'accepted the invitation'],
  'api_key.created': ['API key created', 'created the API key {} with {scope} access'],
  'api_key.renamed': ['API key renamed', 'renamed the API key {before} to {}'],
  'api_key.rolled': ['API key rolled', 'rolled the API key {}'],
  'api_key.revoked': ['API key revoked', 'revoked the API key {}'],
  'webhook.created': ['Webhook created', 'created the webhook {}'],
  'webhook.updated': ['Webhook changed', 'changed the webhook {}'],
  'webhook.deleted': ['Webhook deleted', 'deleted the webhook {}'],
  'webhook.secret_rotated': ['Webhook secret rotated', 'rotated the secret of the webhook {}'],
  'notice.created': ['Notice created', 'created the notice {}'],
  'notice.updated': ['Notice changed', 'changed the notice {}'],
  'notice.deleted': ['Notice deleted', 'deleted the notice {}'],
  'website.created': ['Website created', 'created the website {}'],
  'website.updated': ['Website settings changed', 'changed settings of the website {}'],
  'website.hosts_changed': ['Hosts changed', 'changed the hosts of the website {}'],
  'website.deleted': ['Website deleted', 'deleted the website {}'],
  'host.verified': ['Host verified', 'verified the host {}'],
  'logs.counted': ['Log counted', 'counted a log of the stream {}: {counted} of {lines} lines'],
  'urls.changed': ['URLs changed', 'changed the list of URLs {}: {added} added, {removed} removed'],
  'account.created': ['Account created', 'created the account for {}'],
  'account.plan_changed': ['Plan changed', 'changed the plan from {before} to {after}'],
  'account.exported': ['Account exported', 'exported the account'],
  'account.deleted': ['Account deleted', 'deleted the account'],
};

export const labelOf = (action: AuditAction): string => ACTIONS[action][0];

/** By the `reason` of a failed sign-in. */
const REJECTIONS: Record<string, string> = {
  'reset link': 'entered a wrong code with a reset link',
  'wrong code': 'entered a wrong code for new recovery codes',
};

/** Also an entry of the activity, whose actor may have no id. */
export type Entry = Pick<AuditEntry, 'action' | 'target' | 'details'> & {
  actor: Pick<AuditEntry['actor'], 'type' | 'name'>;
};

/** Describes the event, with its object in the middle; follows the name of the actor. */
export function auditParts({ action, actor, target, details }: Entry): readonly [string, string, string] {
  if (action === 'user.sign_in_failed' && details?.['reason'] !== undefined)
    return onlyText(REJECTIONS[valueText(details['reason'])] ?? 'entered a wrong current password');
  if (action === 'user.password_reset' && target === null) return onlyText('set a new password with a reset link');
  if (action === 'user.totp_disabled' && actor.type === 'user') return onlyText('turned off two-factor sign-in');
  const [before = '', after] = ACTIONS[action][1]
    .split('{}')
    .map((text) => text.replace(/\{(\w+)\}/g, (_, field: string) => detailText(details?.[field])));
  if (after === undefined) return onlyText(before);
  const overlap = action === 'webhook.secret_rotated' ? overlapText(details?.['overlap_seconds']) : '';
  return [before, nameIn(target), after + overlap];
}

const detailText = (detail: unknown): string =>
  typeof detail === 'number' ? number(detail) : valueText(detail).replaceAll('_', ' ');

const onlyText = (text: string) => [text, '', ''] as const;

const ICONS: Record<string, IconName> = {
  account: 'account',
  user: 'user',
  invitation: 'user',
  api_key: 'key',
  webhook: 'webhooks',
  notice: 'notices',
  website: 'websites',
  host: 'websites',
};

export const isFailure = ({ action }: Entry): boolean =>
  action.startsWith('user.sign_in_fail') || action === 'user.sign_in_blocked';

export const auditIcon = (entry: Entry): IconName =>
  isFailure(entry) ? 'warning' : (ICONS[entry.action.split('.', 1)[0] ?? ''] ?? 'audit');

/** `Shop` of `Shop (7)`: names come with their id. */
const nameIn = (target: string | null): string => target?.replace(/ \(\w+\)$/, '') ?? '';

const HOUR_SECONDS = 3_600;

function overlapText(seconds: unknown): string {
  if (typeof seconds !== 'number' || seconds === 0) return '. The previous one ended at once';
  return `. The previous one is valid for another ${counted(Math.round(seconds / HOUR_SECONDS), 'hour')}`;
}

/** The values of changed settings, before and after. `before` is empty if the entry has only new values. */
export function auditChanges({ action, details }: Entry): FieldChange[] {
  if (!details) return [];
  if (action === 'website.hosts_changed') {
    return hostChanges(hostTexts(details['before']), hostTexts(details['after']));
  }
  if (action === 'website.created') {
    return [{ label: 'Hosts', before: '', after: valueText(hostTexts(details['hosts'])) }];
  }
  if (action === 'website.updated' && !('after' in details))
    return Object.keys(details).map((field) => settingChange(field, undefined, details[field]));
  if (action === 'website.updated') {
    const [before, after] = [recordOf(details['before']), recordOf(details['after'])];
    return Object.keys(after).map((field) => settingChange(field, before[field] ?? null, after[field]));
  }
  if (!/^(webhook|notice)\.(created|updated)$/.test(action)) return [];
  return Object.keys(details).map((field) => settingChange(field, undefined, details[field]));
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const hostTexts = (hosts: unknown): string[] =>
  (Array.isArray(hosts) ? hosts.map(recordOf) : []).map(
    ({ hostname, environment }) => `${valueText(hostname)} (${valueText(environment)})`,
  );

function hostChanges(before: string[], after: string[]): FieldChange[] {
  const added = after.filter((host) => !before.includes(host));
  const removed = before.filter((host) => !after.includes(host));
  return [
    { label: 'Added', before: '', after: added.join(', ') },
    { label: 'Removed', before: '', after: removed.join(', ') },
  ].filter((change) => change.after !== '');
}
