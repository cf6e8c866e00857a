/** Texts of the logs that a website received. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { CountedLog, LogDay, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { commandLine } from '../../ui/agent-commands.ts';
import { firstHost } from '../../urls.ts';

/** The line that sends a log, and later what is added to it. `service`: the origin of this service. */
export function logCommand(website: Website, environment: Environment, service: string, key?: string): string {
  const host = firstHost(website, environment);
  const options = `--website ${host ?? website.id}${host === undefined ? '' : ` --host ${host}`} --stream web-1`;
  return commandLine(`detour logs push --follow ${options} /var/log/nginx/access.log`, service, key);
}

type Reason = 'skipped' | 'not_ours' | 'unused' | 'invalid';
const REASONS: readonly (readonly [Reason, string])[] = [
  ['skipped', 'counted before'],
  ['not_ours', 'of other hosts'],
  ['unused', 'without use'],
  ['invalid', 'invalid'],
];

/** Why lines were not counted, such as `600 of other hosts, 13 invalid`; '' if all were. */
export const uncountedText = (day: Partial<Record<Reason, number>>): string =>
  REASONS.flatMap(([name, text]) => (day[name] ? [`${number(day[name])} ${text}`] : [])).join(', ');

/** The remedy if no line of a day was counted; undefined if some were. */
export function remedyText({ counted, lines, not_ours: notOurs, invalid }: LogDay): string | undefined {
  if (counted > 0) return undefined;
  if (notOurs === lines) return 'Every line is of another host: send the host of lines without one as --host.';
  if (invalid === lines) return 'Every line is invalid: name the format with --format.';
  return 'No line was counted.';
}

/** Sentences about the counted lines of a file and the others. */
export function resultLines({ logs, format }: CountedLog): string[] {
  const { lines, counted: count, skipped, not_ours: notOurs, invalid } = logs;
  if (lines === 0) return ['The file has no whole line: a last line without a line feed is not counted.'];
  if (skipped === lines) return [`All ${counted(lines, 'line')} were counted before in this stream.`];
  const result = `${number(count)} of ${counted(lines, 'line')} counted${format === null ? '' : `, read as ${format}`}.`;
  const rest = uncountedText(logs);
  const others = rest === '' ? [] : [`Not counted: ${rest}.`];
  if (notOurs === lines) return [result, 'Every line is of a host that this website does not have.'];
  if (invalid === lines)
    return [result, 'Every line is invalid: of a format that is not known, too old or in the future.'];
  return [result, ...others];
}

const EXAMPLE_REASONS = { invalid: 'invalid', not_ours: 'of another host', unused: 'without use' };

export const exampleText = ({ line, reason }: CountedLog['examples'][number]): string =>
  `Line ${number(line)}, ${EXAMPLE_REASONS[reason]}:`;
