/** The plan of a sync as text for a terminal, and as Markdown for a pull request. */
import { type Change, countsText, differences, isEmpty, ruleText, type SyncResult } from './call-sync.ts';

const SIGNS: Record<string, string> = { create: '+', update: '~', delete: '-' };
const MAX_MARKDOWN_ROWS = 100;

/** The sign of a change; the service names kinds `create` or `created`. */
function signOf({ before, after }: Pick<Change, 'before' | 'after'>): string {
  return SIGNS[before ? (after ? 'update' : 'delete') : 'create'] ?? '';
}

/** One line per change that the service lists, which are the first 1,000 of each kind, then the counts. */
export function planText({ sync, changes = [] }: SyncResult): string {
  const lines = changes.map((change) => {
    const isUpdate = change.before !== null && change.after !== null;
    const detail = isUpdate ? differences(change).join(', ') : ruleText(change.after ?? change.before);
    return `${signOf(change)} ${change.old_path}  ${detail}`;
  });
  return [...lines, ...moreLine(sync, lines.length), countsText(sync)].join('\n');
}

/** A section for `GITHUB_STEP_SUMMARY` or a comment. `refusal` is why the service would refuse it. */
export function planMarkdown(
  { sync, changes = [] }: SyncResult,
  { title, refusal }: { title: string; refusal?: string | undefined },
): string {
  const head = [`### ${escaped(title)}`, '', ...(refusal ? [`> **Refused:** ${escaped(refusal)}`, ''] : [])];
  if (isEmpty(sync)) return [...head, 'No redirect changes.', ''].join('\n');
  const shown = changes.slice(0, MAX_MARKDOWN_ROWS);
  const rows = shown.map(
    (change) =>
      `| ${signOf(change)} | ${code(change.old_path)} | ${code(ruleText(change.before))} | ${code(ruleText(change.after))} |`,
  );
  return [
    ...head,
    `**${countsText(sync)}**`,
    '',
    ...(rows.length > 0 ? ['| | Path | Before | After |', '|---|---|---|---|', ...rows, ''] : []),
    ...moreLine(sync, shown.length),
    '',
  ].join('\n');
}

function moreLine({ created, updated, deleted }: SyncResult['sync'], shown: number): string[] {
  const others = created + updated + deleted - shown;
  return others > 0 ? [`and ${others.toLocaleString('en')} more changes`] : [];
}

/** Code in a table cell. A longer fence holds backticks; a pipe would end the cell. */
function code(value: string): string {
  if (value === '') return '';
  const text = value.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function escaped(value: string): string {
  return value.replace(/[\\`*_<>[\]|]/g, '\\$&').replace(/\s+/g, ' ');
}
