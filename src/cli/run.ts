import { createClient, VERSION } from './client.ts';
import { type Command, type Context, isOn, text } from './command.ts';
import type { Options } from './options.ts';
import { CommandError, EXIT, type Exit, UsageError } from './errors.ts';
import { helpText, readCommandLine } from './command-line.ts';
import { checkUrls } from './commands/check-urls.ts';
import { deploy, promote, rollback } from './commands/deploy.ts';
import { diff } from './commands/diff.ts';
import { pullExpectations, pushExpectations } from './commands/expectations.ts';
import { exportRedirects } from './commands/export.ts';
import { importRedirects } from './commands/import.ts';
import { login } from './commands/login.ts';
import { applyMove } from './commands/move-apply.ts';
import { moveRows } from './commands/move-rows.ts';
import { startMove } from './commands/move-start.ts';
import { moveRules, moveStatus } from './commands/move-status.ts';
import { pushLogs } from './commands/push-logs.ts';
import { pushUrls } from './commands/push-urls.ts';
import { status } from './commands/status.ts';
import { sync } from './commands/sync.ts';
import { syncServer } from './commands/sync-server.ts';
import { test } from './commands/test.ts';
import { undo } from './commands/undo.ts';
import { connectionOf } from './config.ts';
import { reportToGithub } from './github/github.ts';
import { type Io, openTerminal, type Output } from './terminal.ts';

/** All commands, in the order of the help. */
export const COMMANDS: Record<string, Command> = {
  login,
  status,
  export: exportRedirects,
  import: importRedirects,
  diff,
  sync,
  'sync nginx': syncServer('nginx'),
  'sync apache': syncServer('apache'),
  'sync caddy': syncServer('caddy'),
  'expectations push': pushExpectations,
  'expectations pull': pullExpectations,
  'urls push': pushUrls,
  'urls check': checkUrls,
  'logs push': pushLogs,
  'move start': startMove,
  'move status': moveStatus,
  'move rows': moveRows,
  'move rules': moveRules,
  'move apply': applyMove,
  test,
  deploy,
  promote,
  rollback,
  undo,
};

/**
 * Runs a command line and returns the exit code. Results go to standard output, everything else to standard error. With
 * `--json`, an error is one JSON object on standard output as well.
 */
export async function run(args: string[], io: Io): Promise<Exit> {
  const isJson = args.includes('--json');
  try {
    const invocation = readCommandLine(args, COMMANDS);
    if (invocation.kind === 'version') await print(io.stdout, VERSION);
    else if (invocation.kind === 'help') await print(io.stdout, helpText(COMMANDS, invocation.name));
    else return await execute(invocation, io, isJson);
    return EXIT.done;
  } catch (error) {
    return report(error, io, args);
  }
}

async function execute(
  { command, options, words }: { command: Command; options: Options; words: string[] },
  io: Io,
  isJson: boolean,
): Promise<Exit> {
  const terminal = openTerminal(io);
  const base = { terminal, options, words };
  const connection = command === COMMANDS['login'] ? undefined : await connectionOf(io.env, text(base, 'url'));
  const client = connection && createClient(connection, { note: terminal.note });
  const context: Context = {
    ...base,
    get client() {
      if (!client) throw new Error('login has no connection yet');
      return client;
    },
  };
  const outcome = await command.run(context);
  if (!outcome) return EXIT.done;
  if (isOn(base, 'github')) await reportToGithub(io, outcome);
  await print(io.stdout, isJson ? JSON.stringify(outcome.json) : outcome.text);
  return outcome.exit ?? EXIT.done;
}

async function report(error: unknown, io: Io, args: string[]): Promise<Exit> {
  const isUsage = error instanceof UsageError;
  if (!isUsage && !(error instanceof CommandError)) {
    io.stderr.write(`detour: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return EXIT.failed;
  }
  io.stderr.write(`detour: ${error.message}\n`);
  const exit = isUsage ? EXIT.usage : error.exit;
  if (args.includes('--github')) await reportToGithub(io, { exit, text: error.message, json: {} });
  if (args.includes('--json'))
    await print(io.stdout, JSON.stringify({ error: error.message, ...(isUsage ? {} : error.json), exit }));
  return exit;
}

function print(output: Output, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
