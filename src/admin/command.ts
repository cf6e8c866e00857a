import { parseArgs } from 'node:util';
import type { Db } from '../db/client.ts';

/** A wrong command line; the message says what to write. */
export class UsageError extends Error {}

export interface Flag {
  /** how the value is shown in the help, such as E or free|pro */
  value: string;
  required: boolean;
}

/** The values of the flags that were given. */
export type Flags = Record<string, string>;

export interface Outcome {
  /** what --json prints */
  json: Record<string, unknown>;
  /** the same for a person */
  text: string;
}

export interface Command {
  flags: Record<string, Flag>;
  /** What is wrong with the flags, told before any database is opened; undefined when nothing is. */
  check?(flags: Flags): string | undefined;
  run(db: Db, flags: Flags): Promise<Outcome>;
}

export interface Invocation {
  name: string;
  flags: Flags;
  json: boolean;
}

/**
 * Reads `account create --email E --json`; 'help' where help is asked for or nothing is said. Throws a UsageError that
 * names the unknown command, the unknown or missing flag, or the flag without value.
 */
export function readCommandLine(args: string[], commands: Record<string, Command>): Invocation | 'help' {
  const words = args.slice(0, firstFlag(args));
  if (args.includes('--help') || args.includes('-h') || args.length === 0) return 'help';
  const name = words.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new UsageError(`unknown command "${name}": it is one of ${Object.keys(commands).join(', ')}`);
  const { json, ...given } = parse(args.slice(words.length), command);
  const flags: Flags = {};
  for (const [flag, value] of Object.entries(given)) {
    if (typeof value === 'string' && value !== '') flags[flag] = value;
    else throw new UsageError(`--${flag} needs a value: ${usage(name, command)}`);
  }
  for (const [flag, { required }] of Object.entries(command.flags)) {
    if (required && flags[flag] === undefined)
      throw new UsageError(`--${flag} is required: ${usage(name, command)}`);
  }
  const wrong = command.check?.(flags);
  if (wrong !== undefined) throw new UsageError(wrong);
  return { name, flags, json: json === true };
}

/** How the command is written, in one line. */
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
    if (twice !== undefined) throw new UsageError(`--${twice} stands twice`);
    return { ...values };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Its first sentence names the flag; what follows is about positional arguments, which we have none of.
    const [sentence = error.message] = error.message.split(/\.\s/);
    const isAmbiguous = sentence.includes('ambiguous');
    throw new UsageError(
      isAmbiguous ? `${sentence}: a value that begins with a dash is written --flag=-value` : sentence,
    );
  }
}
