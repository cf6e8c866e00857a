/** The parts that every command of the CLI shares. */
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { Client } from './client.ts';
import type { Exit } from './errors.ts';
import type { Options, OptionSpec } from './options.ts';
import type { Terminal } from './terminal.ts';

/** A form of values: an integer of at least 1. */
export const COUNT = { pattern: /^[1-9]\d{0,8}$/, must: 'be an integer of at least 1' };

/** A form of values: a count or a percentage. */
export const SHARE = {
  pattern: /^(\d{1,9}|(100|\d{1,2})(\.\d{1,6})?%)$/,
  must: 'be a count, or a percentage such as 20%',
};

/** A form of values: rules to look at. */
export const VERSION = { pattern: /^(live|draft|[1-9]\d{0,8})$/, must: 'be live, draft or the number of a version' };

/** An option that names an environment. */
export const environmentOption = (help: string, short?: string): OptionSpec => ({
  value: ENVIRONMENTS.join('|'),
  choices: ENVIRONMENTS,
  help,
  ...(short && { short }),
});

/** The result of a command. `text` is printed without `--json`, `json` with it. */
export interface Outcome {
  exit?: Exit;
  text: string;
  json: object;
  /** the text for `--github`, if it is not plain */
  markdown?: string;
  /** fields of `json` that become outputs of a step; default: those of a sync */
  outputs?: string[];
}

export interface Context {
  terminal: Terminal;
  options: Options;
  words: string[];
  /** of the service */
  client: Client;
}

export interface Command {
  summary: string;
  /** the argument in the help and its number: `FILE`, `OLD NEW`, `[VERSION]` at most once, or `[URL...]` any number of times */
  words?: string;
  options: Record<string, OptionSpec>;
  /** lines below the options in the help */
  notes?: string;
  run(context: Context): Promise<Outcome | undefined>;
}

/** The value of an option. */
export function text({ options }: Pick<Context, 'options'>, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function isOn({ options }: Pick<Context, 'options'>, name: string): boolean {
  return options[name] === true;
}

/** The value of an option that has `choices`. */
export function choice<T extends string>(
  { options }: Pick<Context, 'options'>,
  name: string,
  choices: readonly T[],
): T | undefined {
  return choices.find((one) => one === options[name]);
}
