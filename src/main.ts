/** The entry point of the service. */
import { cacheCompiledCode } from './platform/process/compile-cache.ts';
import { keepTickLayout } from './platform/process/before-start.ts';

keepTickLayout();
const folder = cacheCompiledCode();
if (folder !== undefined) process.env['NODE_COMPILE_CACHE'] = folder;
await import('./main/run.ts');
