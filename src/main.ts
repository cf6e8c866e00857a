/** The entry point of the service. */
import { cacheCompiledCode } from './platform/compile-cache.ts';

cacheCompiledCode();
await import('./main/run.ts');
