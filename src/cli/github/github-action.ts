/** The GitHub Action: the commands that its inputs stand for. `action.yml` describes the inputs. */
import { EXIT, type Exit } from '../errors.ts';
import { run } from '../run.ts';
import type { Io } from '../terminal.ts';
import { reportResult } from './github.ts';

const DIFF_EVENTS = ['pull_request', 'pull_request_target', 'merge_group'];

/** `file` for a repository without a file of redirects. */
const NO_FILE = 'none';

/**
 * Runs `diff` and `urls check` for a pull request, both also if the first fails. Otherwise runs `expectations push`,
 * `sync` and `urls push`, and stops at a failure. Returns the first exit code above 0.
 */
export async function runAction(io: Io): Promise<Exit> {
  const input = (name: string): string => io.env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
  const fail = (message: string): Exit => {
    io.stdout.write(`::error title=Detour::${message}\n`);
    return EXIT.usage;
  };
  if (input('url') === '') return fail('the input url is empty');
  if (input('api-key') === '') {
    return fail('the input api-key is empty; workflows of forks and of Dependabot do not get secrets');
  }
  const mode = input('mode') || 'auto';
  if (!['auto', 'diff', 'sync'].includes(mode)) return fail(`the input mode must be auto, diff or sync; it is ${mode}`);
  const isDiff = mode === 'diff' || (mode === 'auto' && DIFF_EVENTS.includes(io.env['GITHUB_EVENT_NAME'] ?? ''));
  const env = { ...io.env, DETOUR_URL: input('url'), DETOUR_API_KEY: input('api-key') };
  let result: Exit = EXIT.done;
  for (const args of isDiff ? diffCommands(input) : syncCommands(input)) {
    const exit = await run(args, { ...io, env });
    result = result || exit;
    if (result !== EXIT.done && !isDiff) return result;
  }
  if (result !== EXIT.done) await reportResult(io, result);
  return result;
}

type Input = (name: string) => string;

function diffCommands(input: Input): string[][] {
  const file = fileOf(input);
  const redirects = file === NO_FILE ? [] : [`--redirects=${file}`];
  const diff = file === NO_FILE ? [] : [['diff', file, ...fileOptions(input), '--github']];
  return [...diff, ...urlCommands(input, 'check', [...redirects, ...flag(input, 'fail-on-broken-links')])];
}

function syncCommands(input: Input): string[][] {
  const file = fileOf(input);
  const expectations = input('expectations');
  const options = [...fileOptions(input), ...option(input, 'deploy'), ...flag(input, 'resume'), '--undo-on-refusal'];
  return [
    ...(expectations === '' ? [] : [['expectations', 'push', expectations, ...option(input, 'website'), '--github']]),
    ...(file === NO_FILE ? [] : [['sync', file, ...options, '--github']]),
    ...urlCommands(input, 'push', option(input, 'max-removed')),
  ];
}

/** None without the input `urls`. */
function urlCommands(input: Input, command: string, options: string[]): string[][] {
  const source = input('urls');
  const shared = ['website', 'list', 'base'].flatMap((name) => option(input, name));
  if (source === '') return [];
  return [['urls', command, source, ...shared, ...flag(input, 'clean-urls'), ...options, '--github']];
}

const fileOf = (input: Input): string => input('file') || 'redirects.csv';

function fileOptions(input: Input): string[] {
  return ['website', 'group', 'max-delete', 'fields'].flatMap((name) => option(input, name));
}

const flag = (input: Input, name: string): string[] => (input(name) === 'true' ? [`--${name}`] : []);

/** As one word, so that a value may begin with a dash. */
function option(input: Input, name: string): string[] {
  const value = input(name);
  return value === '' ? [] : [`--${name}=${value}`];
}
