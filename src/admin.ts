/** The entry point of the administration commands. */
import { cacheCompiledCode } from './platform/compile-cache.ts';

cacheCompiledCode();
await import('./admin/run.ts');
