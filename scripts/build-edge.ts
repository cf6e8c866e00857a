/**
 * Bundles the edge library into dist/edge/edge.js, one ESM file without dependencies for any JavaScript runtime, and
 * writes its types next to it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src', 'edge-library');
const OUT = join(ROOT, 'dist', 'edge');
/** Files with public functions. types.ts has all types, and imports nothing. */
const PUBLIC = ['edge.ts', 'fastify.ts', 'middleware.ts'];

await build({
  configFile: false,
  root: ROOT,
  publicDir: false,
  logLevel: 'error',
  ssr: { noExternal: true, target: 'webworker' },
  build: {
    ssr: 'src/edge-library/edge.ts',
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    minify: false,
    rolldownOptions: { output: { entryFileNames: 'edge.js', codeSplitting: false } },
  },
});
const types = declarations();
writeFileSync(join(OUT, 'edge.d.ts'), types);
// TypeScript takes the types of `require` from a CommonJS file. Node.js 20.19 and 22.12 require the ESM file itself.
writeFileSync(join(OUT, 'edge.d.cts'), types);

/** The types as one file: those of types.ts, and the signatures of the public functions. */
function declarations(): string {
  const signatures = PUBLIC.map((name) => {
    const { outputText } = ts.transpileDeclaration(readFileSync(join(SRC, name), 'utf8'), {
      fileName: name,
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    });
    return outputText.replace(/^(?:import|export \{)[^;]*;\n/gm, '');
  });
  return [readFileSync(join(SRC, 'types.ts'), 'utf8'), ...signatures].join('\n');
}
