// The entry point of action.yml. The runner starts it with its own Node.js 24, which runs the sources.
import { runAction } from '../src/cli/github-action.ts';

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runAction({ env, stdin, stdout, stderr });
