/** Parses options of a command line. `detour-edge` uses it too. */
import { parseArgs } from 'node:util';
import { UsageError } from './errors.ts';

export interface OptionSpec {
  /** the name of the value in the help, such as FILE; absent for a switch */
  value?: string;
  short?: string;
  help: string;
  /** may be given several times; the value is then a list */
  isRepeated?: boolean;
  /** the allowed values; the help shows them */
  choices?: readonly string[];
  /** the form of a value, and how an error names it */
  form?: { pattern: RegExp; must: string };
}

/** Values of options: a string, a list of a repeated one, or true for a switch. */
export type Options = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/**
 * Parses options and, if `usage` shows any, words. Throws a UsageError that names the wrong option; it ends with `usage`
 * if the option is unknown.
 */
export function parseOptions(
  args: string[],
  specs: Record<string, OptionSpec>,
  usage?: string,
): { options: Options; words: string[] } {
  const options = Object.fromEntries(
    Object.entries(specs).map(([option, { value, short, isRepeated = false }]) => [
      option,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isRepeated,
        ...(short && { short }),
      },
    ]),
  );
  try {
    const allowPositionals = usage !== undefined;
    const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals, tokens: true });
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const twice = names.find((option, index) => !specs[option]?.isRepeated && names.indexOf(option) !== index);
    if (twice !== undefined) throw new UsageError(`--${twice} is repeated`);
    const empty = Object.keys(values).find((option) => [values[option]].flat().includes(''));
    if (empty !== undefined) throw new UsageError(`--${empty} needs a value`);
    for (const [option, spec] of Object.entries(specs)) assertValue(option, values[option], spec);
    return { options: { ...values }, words: positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence names the option; the rest explains Node.js.
    const [sentence = error.message] = error.message.split(/\.\s/);
    throw new UsageError(usage === undefined ? sentence : `${sentence}: ${usage}`);
  }
}

/** Throws a UsageError if the value of an option is not one of its choices, or has another form. */
export function assertValue(option: string, value: unknown, { choices, form }: OptionSpec): void {
  if (typeof value !== 'string') return;
  if (choices && !choices.includes(value)) {
    throw new UsageError(`--${option} must be one of ${choices.join(', ')}; it is "${value}"`);
  }
  if (form && !form.pattern.test(value)) throw new UsageError(`--${option} must ${form.must}; it is "${value}"`);
}

/** The URL of a service without a slash at the end. Throws a UsageError, which begins with `name`. */
export function serviceUrl(address: string, name = 'the URL'): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new UsageError(`${name} must be that of the service, such as https://detour.example.com; it is "${address}"`);
  }
  return url.href.replace(/\/+$/, '');
}
