/** The process of `detour-edge`: command line, log, signals. */
import closeWithGrace from 'close-with-grace';
import { UsageError } from '../cli/errors.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log/log.ts';
import { STOP_TIMES } from '../platform/process/stop-times.ts';
import { VERSION } from '../platform/version.ts';
import { startAgent } from './agent.ts';
import { helpText, readOptions } from './options.ts';

const EXIT_USAGE = 2;

/**
 * Runs until a stop signal. Exits with 0 after SIGTERM or SIGINT, with 1 if the start fails, with 2 if the command line
 * is wrong.
 */
export async function run(args: string[], env: Record<string, string | undefined>): Promise<void> {
  try {
    const invocation = readOptions(args, env);
    if (invocation.kind === 'help') return console.log(helpText());
    if (invocation.kind === 'version') return console.log(VERSION);
    const { options } = invocation;
    const log = createLog({ agent: options.name });
    let stop: () => Promise<void> = async () => {};
    closeWithGrace({ delay: STOP_TIMES.process, logger: false }, async ({ err }) => {
      if (err) log.fatal({ err }, 'uncaught error; the process exits');
      await stop();
    });
    const agent = await startAgent(options, { clock: systemClock, log });
    stop = agent.stop;
    const admin = agent.adminAddress === undefined ? '' : `, probes and metrics on ${agent.adminAddress}`;
    const relay = agent.relayAddress === undefined ? '' : `, relay on ${agent.relayAddress}`;
    console.log(`detour-edge is ready: ${agent.address}${admin}${relay}`);
  } catch (error) {
    console.error(`detour-edge: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(error instanceof UsageError ? EXIT_USAGE : 1);
  }
}
