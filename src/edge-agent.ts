/** The entry point of `detour-edge`. */
import './platform/node-20.ts';
import { run } from './edge-agent/run.ts';
import { keepTickLayout } from './platform/tick-layout.ts';

keepTickLayout();
await run(process.argv.slice(2), process.env);
