/** The entry point of the command `detour`. */
import { run } from './cli/run.ts';

const { env, stdin, stdout, stderr, argv } = process;
// A reader such as `head` may close the pipe early.
stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr });
