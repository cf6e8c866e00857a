/**
 * Bundles the CLI into dist/cli/detour.js, one file without dependencies for Node.js 20. From a checkout, `npm run
 * detour` runs the sources instead.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist', 'cli');
const FILE = 'detour.js';

await build({
  configFile: false,
  root: ROOT,
  publicDir: false,
  logLevel: 'error',
  build: {
    ssr: 'src/cli.ts',
    outDir: OUT,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: { output: { entryFileNames: FILE, codeSplitting: false } },
  },
});
chmodSync(join(OUT, FILE), 0o755);
