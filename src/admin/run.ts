import { text } from 'node:stream/consumers';
import { type Flags, readCommandLine, UsageError, usage } from './command.ts';
import { COMMANDS } from './commands.ts';
import { withServiceDatabase } from './database.ts';
import { systemClock } from '../platform/clock.ts';
import { loadConfig } from '../platform/config/config.ts';
import { errorSummary } from '../platform/log/error-summary.ts';
import { auditLogOf, createLog } from '../platform/log/log.ts';
import type { Origin } from '../vocabulary/actor.ts';

const HELP = `Administers a Detour service, on its own database, whether it runs or not.

  npm run admin -- <command> [--json]

${Object.entries(COMMANDS)
  .map(([name, command]) => `  ${usage(name, command)}`)
  .join('\n')}

Without --password a password is generated and shown. --password - reads it from standard input, so that it is not in
the list of processes. --json prints one line of JSON; npm run --silent admin prints nothing else on standard output.
Standard error gets the lines of the audit log.`;

try {
  const invocation = readCommandLine(process.argv.slice(2), COMMANDS);
  console.log(invocation === 'help' ? HELP : await execute(invocation));
} catch (error) {
  console.error(`detour: ${errorSummary(error)}`);
  process.exitCode = 1;
}

async function execute(invocation: Exclude<ReturnType<typeof readCommandLine>, 'help'>): Promise<string> {
  const { name, json } = invocation;
  const flags = await withPasswordFromInput(invocation.flags);
  const command = COMMANDS[name];
  if (!command) throw new Error(`no command ${name}`);
  const config = loadConfig();
  const origin: Origin = { address: null, userAgent: null, at: systemClock.now(), audited: [] };
  const outcome = await withServiceDatabase(config, (db) => command.run(db, flags, config, origin));
  const log = auditLogOf(createLog());
  for (const line of origin.audited) log.info(line, 'audit');
  if (outcome.isDone === false) process.exitCode = 1;
  return json ? JSON.stringify(outcome.json) : outcome.text;
}

/** The flags, with the first line of standard input as the password if it is `-`. */
async function withPasswordFromInput(flags: Flags): Promise<Flags> {
  if (flags['password'] !== '-') return flags;
  const [password = ''] = (await text(process.stdin)).split(/\r?\n/);
  if (password === '') throw new UsageError('--password -: standard input has no password');
  return { ...flags, password };
}
