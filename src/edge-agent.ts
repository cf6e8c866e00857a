/** The entry point of `detour-edge`. */
import './platform/process/node-20.ts';
import { run } from './edge-agent/run.ts';
import { keepTickLayout } from './platform/process/tick-layout.ts';

keepTickLayout();
await run(process.argv.slice(2), process.env);
