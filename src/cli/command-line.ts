import type { Command } from './command.ts';
import { UsageError } from './errors.ts';
import { type Options, type OptionSpec, parseOptions } from './options.ts';

/** Options of every command. */
const SHARED: Record<string, OptionSpec> = {
  url: { value: 'URL', help: 'The service. Default: DETOUR_URL, else that of `detour login`.' },
  json: { help: 'Prints one JSON object on standard output.' },
  github: { help: 'In GitHub Actions: also writes the summary and the outputs of the step.' },
  help: { short: 'h', help: 'Prints this help.' },
};

export type Invocation =
  | { kind: 'help'; name?: string }
  | { kind: 'version' }
  | { kind: 'command'; name: string; command: Command; options: Options; words: string[] };

/**
 * Parses a command line such as `sync redirects.csv --website shop.example.com`. Throws a UsageError that names the
 * unknown command, the wrong option, or the missing argument.
 */
export function readCommandLine(args: string[], commands: Record<string, Command>): Invocation {
  if (args[0] === '--version' || args[0] === '-V') return { kind: 'version' };
  const found = commandOf(args, commands);
  if (!found) {
    if (args.length === 0 || args[0] === 'help' || args.includes('--help') || args.includes('-h')) {
      return { kind: 'help' };
    }
    throw new UsageError(`unknown command "${args[0]}": use one of ${Object.keys(commands).join(', ')}`);
  }
  const { name, command, rest } = found;
  if (rest.includes('--help') || rest.includes('-h')) return { kind: 'help', name };
  const { options, words } = parseOptions(rest, { ...command.options, ...SHARED }, usage(name, command));
  const { words: expected = '' } = command;
  const named = expected.split(' ').filter(Boolean);
  const least = named.filter((word) => !word.startsWith('[')).length;
  if (words.length < least) throw new UsageError(`an argument is missing: ${usage(name, command)}`);
  const most = expected.endsWith('...]') ? Infinity : named.length;
  if (words.length > most) throw new UsageError(`unexpected argument "${words[most]}": ${usage(name, command)}`);
  return { kind: 'command', name, command, options, words };
}

/** The command that the first one or two words name. */
function commandOf(args: string[], commands: Record<string, Command>) {
  for (const count of [2, 1]) {
    const name = args.slice(0, count).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command && args.length >= count) return { name, command, rest: args.slice(count) };
  }
  return undefined;
}

/** The usage of a command in one line. */
function usage(name: string, { words }: Command): string {
  return ['detour', name, words, '[options]'].filter(Boolean).join(' ');
}

/** The help of one command, or the list of all. */
export function helpText(commands: Record<string, Command>, name?: string): string {
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || !command) return overview(commands);
  return [
    `${usage(name, command)}\n\n${command.summary}`,
    `Options:\n${table(optionRows({ ...command.options, ...SHARED }))}`,
    ...(command.notes === undefined ? [] : [command.notes]),
  ].join('\n\n');
}

function overview(commands: Record<string, Command>): string {
  const rows = Object.entries(commands).map(([name, command]): [string, string] => [
    [name, command.words].filter(Boolean).join(' '),
    command.summary,
  ]);
  return `Manages the redirects of a Detour service.

  detour COMMAND [options]

Commands:
${table(rows)}

\`detour COMMAND --help\` explains a command. DETOUR_URL and DETOUR_API_KEY override what \`detour login\` stored.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by a guard, the gate or a conflict.`;
}

function optionRows(specs: Record<string, OptionSpec>): [string, string][] {
  return Object.entries(specs).map(([option, { value, short, help }]) => [
    `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
}

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
