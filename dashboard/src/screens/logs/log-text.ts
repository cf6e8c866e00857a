/** Texts of the logs that a website received. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { LogDay, Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { commandSettings } from '../../ui/agent-commands.ts';
import { firstHost } from '../../urls.ts';

/** The line that sends a log, and later what is added to it. `service`: see commandSettings. */
export function logCommand(website: Website, environment: Environment, service: string, key?: string): string {
  const host = firstHost(website, environment);
  const options = `--website ${host ?? website.id}${host === undefined ? '' : ` --host ${host}`} --stream web-1`;
  return `${commandSettings(service, key)} detour logs push --follow ${options} /var/log/nginx/access.log`;
}

type Reason = 'not_ours' | 'unused' | 'invalid';
const REASONS: readonly (readonly [Reason, string])[] = [
  ['not_ours', 'of other hosts'],
  ['unused', 'without use'],
  ['invalid', 'invalid'],
];

/** Why lines were not counted, such as `600 of other hosts, 13 invalid`; '' if all were. */
export const uncountedText = (day: Pick<LogDay, Reason>): string =>
  REASONS.flatMap(([name, text]) => (day[name] > 0 ? [`${number(day[name])} ${text}`] : [])).join(', ');

/** The remedy if no line of a day was counted; undefined if some were. */
export function remedyText({ counted, lines, not_ours: notOurs, invalid }: LogDay): string | undefined {
  if (counted > 0) return undefined;
  if (notOurs === lines) return 'Every line is of another host: send the host of lines without one as --host.';
  if (invalid === lines) return 'Every line is invalid: name the format with --format.';
  return 'No line was counted.';
}
