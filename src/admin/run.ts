import { readCommandLine, usage } from './command.ts';
import { COMMANDS } from './commands.ts';
import { withServiceDatabase } from './database.ts';
import { loadConfig } from '../platform/config.ts';
import { errorSummary } from '../platform/error-summary.ts';

const HELP = `Administers a Detour service, on its own database, whether it runs or not.

  npm run admin -- <command> [--json]

${Object.entries(COMMANDS)
  .map(([name, command]) => `  ${usage(name, command)}`)
  .join('\n')}

Without --password a password is generated and shown. --json prints one line of JSON.`;

try {
  const invocation = readCommandLine(process.argv.slice(2), COMMANDS);
  console.log(invocation === 'help' ? HELP : await execute(invocation));
} catch (error) {
  console.error(`detour: ${errorSummary(error)}`);
  process.exitCode = 1;
}

async function execute(invocation: Exclude<ReturnType<typeof readCommandLine>, 'help'>): Promise<string> {
  const { name, flags, json } = invocation;
  const command = COMMANDS[name];
  if (!command) throw new Error(`no command ${name}`);
  const config = loadConfig();
  const outcome = await withServiceDatabase(config, (db) => command.run(db, flags, config));
  return json ? JSON.stringify(outcome.json) : outcome.text;
}
