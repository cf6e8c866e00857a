/** The plan of a sync as text for a terminal, and as Markdown for a pull request. */
import { failureLines } from '../expectations.ts';
import { type Change, clearedText, countsText, differences, isEmpty, ruleText, type SyncResult } from './call-sync.ts';

const SIGNS: Record<string, string> = { create: '+', update: '~', delete: '-' };
const MAX_MARKDOWN_ROWS = 100;

/** The sign of a change; the service names kinds `create` or `created`. */
function signOf({ before, after }: Pick<Change, 'before' | 'after'>): string {
  return SIGNS[before ? (after ? 'update' : 'delete') : 'create'] ?? '';
}

/** One line per change that the service lists, which are the first 1,000 of each kind, then the counts. */
export function planText(plan: SyncResult): string {
  const { sync, changes = [] } = plan;
  const lines = changes.map((change) => {
    const isUpdate = change.before !== null && change.after !== null;
    const detail = isUpdate ? differences(change).join(', ') : ruleText(change.after ?? change.before);
    return `${signOf(change)} ${change.old_path}  ${detail}`;
  });
  return [
    ...lines,
    ...moreLine(sync, lines.length),
    countsText(sync),
    ...clearedLines(plan),
    ...problemLines(plan),
  ].join('\n');
}

function clearedLines({ cleared = {} }: SyncResult): string[] {
  return Object.keys(cleared).length === 0 ? [] : [`cleared, because the file has no value: ${clearedText(cleared)}`];
}

/** Loops and failed expectations that a deployment of the plan would have. */
export function problemLines({ loops = [], gate = [] }: SyncResult): string[] {
  const looping = loops.map(({ environment, code: problem, old_paths: paths }) =>
    paths.length === 0 ? `${environment}: ${problem}` : `${environment}: loop ${[...paths, paths[0]].join(' -> ')}`,
  );
  const failing = gate.flatMap(({ environment, passed, failed, failures, cut_short: isCutShort }) => {
    if (failed === 0)
      return isCutShort ? [`${environment}: the gate would refuse the deployment, its check takes over 60 s`] : [];
    const total = (passed + failed).toLocaleString('en');
    const what = failures.some(({ expected }) => !expected) ? 'expectations and URLs' : 'expectations';
    const counts = `${failed.toLocaleString('en')} of ${total} ${what} would fail`;
    return [`${environment}: the gate would refuse the deployment, ${counts}`, ...failureLines(failures, failed)];
  });
  return [...looping, ...failing];
}

/** A section for `GITHUB_STEP_SUMMARY` or a comment. `refusal` is why the service would refuse it. */
export function planMarkdown(
  plan: SyncResult,
  { title, refusal }: { title: string; refusal?: string | undefined },
): string {
  const { sync, changes = [] } = plan;
  const problems = problemLines(plan);
  const head = [
    ...[`### ${escaped(title)}`, ''],
    ...(refusal ? [`> **Refused:** ${escaped(refusal)}`, ''] : []),
    ...(problems.length > 0
      ? ['**A deployment would fail or warn:**', '', '```text', ...problems.map(fenceless), '```', '']
      : []),
  ];
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
    ...clearedLines(plan).map(escaped),
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

/** A line that cannot close the code block. */
const fenceless = (line: string): string => line.replaceAll('```', "'''");

function escaped(value: string): string {
  return value.replace(/[\\`*_<>[\]|]/g, '\\$&').replace(/\s+/g, ' ');
}
