/** The entry point of the service. */
import { cacheCompiledCode } from './platform/compile-cache.ts';
import { keepTickLayout } from './platform/tick-layout.ts';

keepTickLayout();
cacheCompiledCode();
await import('./main/run.ts');
