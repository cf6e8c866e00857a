// The entry point of action.yml. The runner starts it with its own Node.js 24, which runs the sources.
import { registerHooks } from 'node:module';

// A runner has no node_modules, so the only package of the sources comes from the file beside this one.
const parser = new URL('html-parser.js', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === 'htmlparser2' ? { url: parser, format: 'module', shortCircuit: true } : next(name, context),
});
const { runAction } = await import('../src/cli/github/github-action.ts');

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runAction({ env, stdin, stdout, stderr });
