/**
 * Bundles each command into one file without dependencies for Node.js 20: the CLI into dist/cli/detour.js, the edge agent
 * into dist/edge-agent/detour-edge.js. From a checkout, `npm run detour` and `npm run edge` run the sources instead.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');

await bundle('src/cli.ts', 'dist/cli', 'detour.js');
await bundle('src/edge-agent.ts', 'dist/edge-agent', 'detour-edge.js');

async function bundle(entry: string, folder: string, file: string): Promise<void> {
  const outDir = join(ROOT, folder);
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: file, codeSplitting: false } },
    },
  });
  chmodSync(join(outDir, file), 0o755);
}
