/** The entry point of the administration commands. */
import { cacheCompiledCode } from './platform/process/compile-cache.ts';

cacheCompiledCode();
await import('./admin/run.ts');
