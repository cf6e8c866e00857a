import { parseArgs } from 'node:util';
import type { Db } from '../db/connection/client.ts';
import type { Config } from '../platform/config/config.ts';
import type { Origin } from '../vocabulary/actor.ts';

/** A wrong command line; the message says what to write. */
export class UsageError extends Error {}

export interface Flag {
  /** the value's name in the help, such as E or free|pro */
  value: string;
  required: boolean;
  choices?: readonly string[];
}

export type Flags = Record<string, string>;

export interface Outcome {
  /** what --json prints */
  json: Record<string, unknown>;
  text: string;
  /** false: the command exits with 1 although it has output */
  isDone?: boolean;
}

export interface Command {
  flags: Record<string, Flag>;
  /** Returns an error in the flags, before a database is opened; undefined if they are valid. */
  check?(flags: Flags): string | undefined;
  /** `origin` receives the lines of the audit log. */
  run(db: Db, flags: Flags, config: Config, origin: Origin): Promise<Outcome>;
}

export interface Invocation {
  name: string;
  flags: Flags;
  json: boolean;
}

/**
 * Parses a command line such as `account create --email E --json`. Returns 'help' for --help, -h or no arguments.
 * Throws a UsageError that names the unknown command, the unknown or missing flag, or the flag without a value.
 */
export function readCommandLine(args: string[], commands: Record<string, Command>): Invocation | 'help' {
  const words = args.slice(0, firstFlag(args));
  if (args.includes('--help') || args.includes('-h') || args.length === 0) return 'help';
  const name = words.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`unknown command "${name}": use one of ${Object.keys(commands).join(', ')}`);
  const { json, ...values } = parse(args.slice(words.length), command);
  const flags: Flags = {};
  for (const [flag, value] of Object.entries(values)) {
    if (typeof value === 'string' && value !== '') flags[flag] = value;
    else throw new UsageError(`--${flag} needs a value: ${usage(name, command)}`);
  }
  for (const [flag, { required, choices }] of Object.entries(command.flags)) {
    const value = flags[flag];
    if (required && value === undefined) throw new UsageError(`--${flag} is required: ${usage(name, command)}`);
    if (value === undefined || !choices || choices.includes(value)) continue;
    throw new UsageError(`--${flag} must be one of ${choices.join(', ')}; it is ${JSON.stringify(value)}`);
  }
  const wrong = command.check?.(flags);
  if (wrong !== undefined) throw new UsageError(wrong);
  return { name, flags, json: json === true };
}

export function usage(name: string, { flags }: Command): string {
  const parts = Object.entries(flags).map(([flag, { value, required }]) =>
    required ? `--${flag} ${value}` : `[--${flag} ${value}]`,
  );
  return [name, ...parts, '[--json]'].join(' ');
}

function firstFlag(args: string[]): number {
  const at = args.findIndex((arg) => arg.startsWith('-'));
  return at < 0 ? args.length : at;
}

function parse(args: string[], { flags }: Command): Record<string, string | boolean | undefined> {
  const options = Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' as const }]));
  try {
    const { tokens, values } = parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' } },
      tokens: true,
    });
    const names = tokens.filter((token) => token.kind === 'option').map((token) => token.name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new UsageError(`--${twice} is repeated`);
    return { ...values };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence names the flag. The rest is about positional arguments, which do not exist here.
    const [sentence = error.message] = error.message.split(/\.\s/);
    const isAmbiguous = sentence.includes('ambiguous');
    throw new UsageError(
      isAmbiguous ? `${sentence}: write a value that begins with a dash as --flag=-value` : sentence,
    );
  }
}
