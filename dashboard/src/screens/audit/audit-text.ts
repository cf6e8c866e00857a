/** Texts for entries of the audit log. */
import type { AuditAction } from '../../../../src/vocabulary/audit.ts';
import type { AuditEntry } from '../../api/wire.ts';
import { capitalized, counted } from '../../format.ts';
import type { IconName } from '../../ui/icons.tsx';
import { type FieldChange, valueText } from '../../ui/redirect-fields.ts';

/** Names of the actions in the filter. */
export const AUDIT_LABELS: Record<AuditAction, string> = {
  'user.signed_in': 'Signed in',
  'user.sign_in_failed': 'Sign-in failed',
  'user.sign_in_code_required': 'Password accepted, code required',
  'user.sign_in_blocked': 'Sign-in blocked',
  'user.sign_in_failures_omitted': 'Further failed sign-ins',
  'user.signed_out': 'Signed out',
  'user.signed_up': 'Signed up',
  'user.session_ended': 'Session ended',
  'user.password_confirmed': 'Password confirmed',
  'user.password_changed': 'Password changed',
  'user.password_reset_requested': 'Password reset link created',
  'user.password_reset': 'Password reset',
  'user.totp_enabled': 'Two-factor sign-in turned on',
  'user.totp_disabled': 'Two-factor sign-in turned off',
  'user.recovery_code_used': 'Recovery code used',
  'user.added': 'User added',
  'user.removed': 'User removed',
  'user.role_changed': 'Role changed',
  'user.websites_changed': 'Websites of a user changed',
  'invitation.created': 'Invitation created',
  'invitation.revoked': 'Invitation withdrawn',
  'invitation.accepted': 'Invitation accepted',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'website.created': 'Website created',
  'website.updated': 'Website settings changed',
  'website.hosts_changed': 'Hosts changed',
  'website.deleted': 'Website deleted',
  'host.verified': 'Host verified',
  'account.created': 'Account created',
  'account.plan_changed': 'Plan changed',
  'account.exported': 'Account exported',
  'account.deleted': 'Account deleted',
};

/** Templates of `auditText`: `{}` is the target, and `{role}` the detail of that name. */
const TEXTS: Record<AuditAction, string> = {
  'user.signed_in': 'signed in',
  'user.sign_in_failed': 'failed to sign in: wrong password or code',
  'user.sign_in_code_required': 'was asked for a code: the password or the reset link was right',
  'user.sign_in_blocked': 'was blocked for up to 15 minutes: too many failed attempts',
  'user.sign_in_failures_omitted':
    'failed to sign in again. The log has {recorded_per_hour} failures an hour; further ones are not listed',
  'user.signed_out': 'signed out',
  'user.signed_up': 'signed up',
  'user.session_ended': 'ended another session',
  'user.password_confirmed': 'confirmed the password',
  'user.password_changed': 'changed the password',
  'user.password_reset_requested': 'created a password reset link for {}',
  'user.password_reset': 'set a new password for {}',
  'user.totp_enabled': 'turned on two-factor sign-in',
  'user.totp_disabled': 'turned off two-factor sign-in of {}',
  'user.recovery_code_used': 'used a recovery code',
  'user.added': 'added the user {} as {role}',
  'user.removed': 'removed the user {}',
  'user.role_changed': 'changed the role of {} from {from} to {to}',
  'user.websites_changed': 'changed the websites of {}',
  'invitation.created': 'invited {} as {role}',
  'invitation.revoked': 'withdrew the invitation of {}',
  'invitation.accepted': 'accepted the invitation',
  'api_key.created': 'created the API key {} with {scope} access',
  'api_key.revoked': 'revoked the API key {}',
  'webhook.created': 'created the webhook {}',
  'webhook.updated': 'changed the webhook {}',
  'webhook.deleted': 'deleted the webhook {}',
  'webhook.secret_rotated': 'rotated the secret of the webhook {}',
  'website.created': 'created the website {}',
  'website.updated': 'changed settings of the website {}',
  'website.hosts_changed': 'changed the hosts of the website {}',
  'website.deleted': 'deleted the website {}',
  'host.verified': 'verified the host {}',
  'account.created': 'created the account for {}',
  'account.plan_changed': 'changed the plan from {before} to {after}',
  'account.exported': 'exported the account',
  'account.deleted': 'deleted the account',
};

/** Also an entry of the activity, whose actor may have no id. */
export type Entry = Pick<AuditEntry, 'action' | 'target' | 'details'> & {
  actor: Pick<AuditEntry['actor'], 'type' | 'name'>;
};

/** Describes the event; follows the name of the actor. */
export function auditText({ action, actor, target, details }: Entry): string {
  if (action === 'user.sign_in_failed' && details?.['reason'] !== undefined)
    return details['reason'] === 'reset link'
      ? 'entered a wrong code with a reset link'
      : 'entered a wrong current password';
  if (action === 'user.password_reset' && target === null) return 'set a new password with a reset link';
  if (action === 'user.totp_disabled' && actor.type === 'user') return 'turned off two-factor sign-in';
  const text = TEXTS[action].replace(/\{(\w*)\}/g, (_, field: string) =>
    field === '' ? nameIn(target) : valueText(details?.[field]),
  );
  return action === 'webhook.secret_rotated' ? text + overlapText(details?.['overlap_seconds']) : text;
}

const ICONS: Record<string, IconName> = {
  account: 'account',
  user: 'user',
  invitation: 'user',
  api_key: 'key',
  webhook: 'webhooks',
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
  if (action === 'website.updated') {
    const [before, after] = [recordOf(details['before']), recordOf(details['after'])];
    return Object.keys(after).map((field) => changeOf(field, valueText(before[field]), after[field]));
  }
  if (action !== 'webhook.created' && action !== 'webhook.updated') return [];
  return Object.keys(details).map((field) => changeOf(field, '', details[field]));
}

const changeOf = (field: string, before: string, after: unknown): FieldChange => ({
  label: capitalized(field.replaceAll('_', ' ')).replace(/\burl\b/i, 'URL'),
  before,
  after: valueText(after),
});

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
