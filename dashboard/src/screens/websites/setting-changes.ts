/** Settings of a website before and after a change by someone else, as texts. */
import { number } from '../../format.ts';
import { type FieldChange, valueText } from '../../ui/redirect-fields.ts';
import { writeHosts } from './host-lines.ts';
import { LETTER_CASES, ON_LOOP, QUERIES, type Settings, TRAILING_SLASHES } from './settings-fields.tsx';

const LABELS = {
  name: 'Name',
  hosts: 'Hosts',
  case_sensitive: 'Letter case',
  trailing_slash: 'Trailing slash',
  query: 'Query string',
  fallback_url: 'Fallback URL',
  allowed_target_hosts: 'Allowed target hosts',
  auto_deploy: 'Deploy changes automatically',
  on_loop: 'If a deployment contains a redirect loop',
  gated_environments: 'Check expectations before deploying to',
} as const satisfies Record<keyof Settings, string>;

/** Lines of a list that are shown; a website has up to 10,000 hosts. */
const MAX_LINES = 5;

/** The settings that differ. Of lists, the removed and the added lines. */
export function settingChanges(before: Settings, after: Settings): FieldChange[] {
  return (Object.keys(LABELS) as (keyof Settings)[])
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => {
      const [old, now] = [linesOf(name, before), linesOf(name, after)];
      return { label: LABELS[name], before: textOf(without(old, now)), after: textOf(without(now, old)) };
    });
}

const OPTIONS: { [Name in keyof Settings]?: readonly (readonly [string, string])[] } = {
  case_sensitive: LETTER_CASES,
  trailing_slash: TRAILING_SLASHES,
  query: QUERIES,
  on_loop: ON_LOOP,
};

function linesOf(name: keyof Settings, settings: Settings): string[] {
  if (name === 'hosts') return writeHosts(settings.hosts).split('\n');
  const value = settings[name];
  if (Array.isArray(value)) return value.map(String);
  const option = name === 'case_sensitive' ? (settings.case_sensitive ? 'exact' : 'ignore') : value;
  return [OPTIONS[name]?.find(([each]) => each === option)?.[1] ?? valueText(value)];
}

function without(lines: string[], others: string[]): string[] {
  const excluded = new Set(others);
  return lines.filter((line) => !excluded.has(line));
}

function textOf(lines: string[]): string {
  const more = lines.length > MAX_LINES ? `, and ${number(lines.length - MAX_LINES)} more` : '';
  return lines.slice(0, MAX_LINES).join(', ') + more;
}
