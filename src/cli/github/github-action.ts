/** The GitHub Action: the commands that its inputs stand for. `action.yml` describes the inputs. */
import { EXIT, type Exit } from '../errors.ts';
import { run } from '../run.ts';
import type { Io } from '../terminal.ts';

const DIFF_EVENTS = ['pull_request', 'pull_request_target', 'merge_group'];

/** Runs `diff` for a pull request, and `expectations push` and `sync` otherwise. Returns the first exit code above 0. */
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
  for (const args of isDiff ? [diffCommand(input)] : syncCommands(input)) {
    const exit = await run(args, { ...io, env });
    if (exit !== EXIT.done) return exit;
  }
  return EXIT.done;
}

type Input = (name: string) => string;

function diffCommand(input: Input): string[] {
  return ['diff', ...fileOptions(input), '--github'];
}

function syncCommands(input: Input): string[][] {
  const website = option(input, 'website');
  const expectations = input('expectations');
  const resume = input('resume') === 'true' ? ['--resume'] : [];
  const sync = ['sync', ...fileOptions(input), ...option(input, 'deploy'), ...resume, '--undo-on-refusal', '--github'];
  if (expectations === '') return [sync];
  return [['expectations', 'push', expectations, ...website, '--github'], sync];
}

function fileOptions(input: Input): string[] {
  const file = input('file') || 'redirects.csv';
  return [file, ...['website', 'group', 'max-delete', 'fields'].flatMap((name) => option(input, name))];
}

/** As one word, so that a value may begin with a dash. */
function option(input: Input, name: string): string[] {
  const value = input(name);
  return value === '' ? [] : [`--${name}=${value}`];
}
