/** Labels and values of settings in the audit log and the activity, in the words of their forms. */
import { capitalized, counted } from '../../format.ts';
import { type FieldChange, valueText } from '../../ui/form/redirect-fields.ts';
import { websites } from '../../state/websites.ts';
import { KINDS } from '../notices/kinds.ts';

/** Also kinds of former releases are in the log. */
const NOTICE_KINDS = new Map(Object.entries(KINDS).map(([kind, [name]]) => [kind, name]));

/** The websites of a notice; null: all. */
function websitesText(ids: unknown): string {
  if (!Array.isArray(ids)) return 'All websites';
  const names = ids.map((id) => websites.value?.find((each) => each.id === Number(id))?.name);
  const known = names.filter((name) => name !== undefined);
  if (known.length < ids.length) known.push(counted(ids.length - known.length, 'other website'));
  return known.join(', ') || 'No website';
}

const scheduleText = (value: unknown): string =>
  valueText(typeof value === 'object' && value !== null && 'every' in value ? value.every : value);

const joined =
  (textOf: (name: string) => string) =>
  (values: unknown): string =>
    capitalized(valueText(Array.isArray(values) ? values.map((each) => textOf(String(each))) : values));

/** `redirect created` of `redirect.created`. */
const plain = (name: string): string => name.replaceAll(/[._]/g, ' ').replace(/^urls\b/, 'URLs');

const noticeText = (kind: string): string => NOTICE_KINDS.get(kind) ?? plain(kind);

/** Fields of webhooks, notices and websites whose name or value is not plain. */
const FIELDS: Record<string, readonly [label: string, textOf: (value: unknown) => string]> = {
  kinds: ['Messages', joined(noticeText)],
  events: ['Events', joined(plain)],
  website_ids: ['Websites', websitesText],
  channel: ['Channel', joined(plain)],
  is_active: ['Enabled', valueText],
  url: ['URL', valueText],
  to: ['To', valueText],
  name: ['Name', valueText],
  query: ['Query string', valueText],
  fallback_url: ['Fallback URL', valueText],
  auto_deploy: ['Deploy changes automatically', valueText],
  on_loop: ['If a deployment contains a redirect loop', valueText],
  gated_environments: ['Check expectations before deploying to', joined(plain)],
  url_gate: ['Check URLs before deploying to', joined(plain)],
  sitemap_urls: ['Sitemaps', valueText],
  check_schedule: ['Check targets', scheduleText],
  accepted_losses: ['Accepted losses', valueText],
  check_credentials: ['Credentials for checks', (host) => (host === null ? 'Removed' : `For ${valueText(host)}`)],
};

/** A setting of a webhook, a notice or a website. `before` undefined: only the new value is known. */
export function settingChange(field: string, before: unknown, after: unknown): FieldChange {
  const [label, textOf] = FIELDS[field] ?? [capitalized(plain(field)), valueText];
  return { label, before: before === undefined ? '' : textOf(before), after: textOf(after) };
}
