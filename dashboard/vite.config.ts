/**
 * How the pages are built: nothing inlined, so that the policy `script-src 'self'; style-src 'self'` holds as it
 * stands.
 */
import type { InlineConfig, Plugin } from 'vite';

/** The order of the layers, in front of every file: the first one to name a layer may be any of them. */
const LAYERS: Plugin = {
  name: 'layers',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.css') ? `@layer reset, base, ui, screens;\n${code}` : undefined),
};

/** Small parts of the forms for redirects, which one file has in less bytes than a file each. */
const FORM_PARTS = /host-not-allowed|date-time-field|changed-elsewhere|near-pages|direct-target|api.analytics/;

export function dashboardBuild(outDir: string): InlineConfig {
  return {
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    plugins: [LAYERS],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      reportCompressedSize: false,
      // Without it a screen loads up to 24 files, many of a few hundred bytes. The redirect list loads 12.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'shared', minShareCount: 7 },
              { name: 'forms', test: FORM_PARTS },
            ],
          },
        },
      },
    },
  };
}
