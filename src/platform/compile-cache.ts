import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Caches compiled code beside the packages, which saves about 0.5 s of CPU time per start. Not in the temporary folder,
 * where another user could plant code. Without write access Node.js goes on without a cache. Modules loaded later
 * benefit, so import them dynamically.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'detour'));
}
