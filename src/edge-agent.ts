/** The entry point of `detour-edge`. */
// First: the other modules need what it adds to Node.js 20.
import { keepTickLayout } from './platform/process/before-start.ts';
import { run } from './edge-agent/run.ts';

keepTickLayout();
await run(process.argv.slice(2), process.env);
