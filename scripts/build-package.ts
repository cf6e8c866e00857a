/**
 * Packs the commands and the edge library into dist/detour.tgz if their sources have changed. `npm start` runs it, because
 * the service offers the file to the machines of its agents. If it fails, it prints the reason and the service starts without.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, readIfThere, ROOT } from './fingerprint.ts';

const DIST = join(ROOT, 'dist');
const OUT = join(DIST, 'detour.tgz');
const STAMP = `${OUT}.stamp`;
/** Sources of the package, and of what `npm pack` runs. */
const SOURCES = ['package.json', 'README.md', 'LICENSE', 'bin', 'src', 'scripts'];

const stamp = fingerprint(['package-lock.json', ...SOURCES.flatMap((name) => [name, `${name}/**/*`])]);
if (readIfThere(STAMP) !== stamp) {
  try {
    packCommands();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`detour: the package of the commands was not built, so /detour.tgz is not served: ${reason}`);
  }
}

/** Packs a copy, because npm replaces package.json while it packs. */
function packCommands(): void {
  const began = performance.now();
  mkdirSync(DIST, { recursive: true });
  const copy = mkdtempSync(join(DIST, 'packing-'));
  try {
    for (const source of SOURCES) cpSync(join(ROOT, source), join(copy, source), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    // npm that runs this script; on Windows, only Node.js can start it.
    const npm = process.env['npm_execpath'];
    const [program, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
    const packed = execFileSync(program, [...args, 'pack', '--silent'], { cwd: copy, stdio: 'pipe', encoding: 'utf8' });
    renameSync(join(copy, packed.trim()), OUT);
    writeFileSync(STAMP, stamp);
    console.log(`commands packed in ${Math.round(performance.now() - began)} ms`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
