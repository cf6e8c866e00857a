/**
 * How the pages are built: no plugin, nothing inlined, so that the policy `script-src 'self'; style-src 'self'` holds
 * as it stands.
 */
import type { InlineConfig } from 'vite';

export function dashboardBuild(outDir: string): InlineConfig {
  return {
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      reportCompressedSize: false,
    },
  };
}
