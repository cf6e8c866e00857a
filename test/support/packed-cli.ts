/** The CLI as its users have it: packed by npm, installed in an empty folder, and run by Node.js 20 if there is one. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** Sources of the package, and of what `npm pack` runs. */
const SOURCES = ['package.json', 'README.md', 'LICENSE', 'bin', 'src', 'scripts'];

export interface PackedCli {
  /** a folder that is removed at the end */
  folder: string;
  tarball: string;
  /** the checkout that was packed */
  checkout: string;
  /** package.json of the checkout before it was packed */
  manifest: string;
  /** the file names in the tarball */
  files: string[];
  /** the version of Node.js that runs the CLI, such as v20.20.2 */
  nodeVersion: string;
  /** PATH with that Node.js and npm, but without the packages of this project */
  path: string;
  clear(): void;
}

/** Packs a copy of the sources, because npm replaces package.json while it packs. */
export function packCli(): PackedCli {
  const folder = mkdtempSync(join(tmpdir(), 'detour-packed-'));
  const checkout = join(folder, 'checkout');
  mkdirSync(join(checkout, 'src'), { recursive: true });
  for (const source of SOURCES) cpSync(join(ROOT, source), join(checkout, source), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const manifest = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { node, version } = oldestNode();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(node, join(bin, 'node'));
  const path = [bin, ...systemFolders()].join(delimiter);
  const env = { ...process.env, PATH: path, npm_config_cache: join(folder, 'npm-cache') };
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: checkout,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(output.slice(output.indexOf('[')));
  return {
    folder,
    checkout,
    manifest,
    path,
    tarball: join(folder, packed?.filename ?? ''),
    files: packed?.files.map((file) => file.path) ?? [],
    nodeVersion: version,
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Installs the tarball in an empty folder, from no registry. Returns the folder. */
export function installCli({ folder, tarball, path }: PackedCli, name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "redirects", "private": true }\n');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: project,
    env: { ...process.env, PATH: path, npm_config_cache: join(folder, 'npm-cache') },
    stdio: 'pipe',
  });
  return project;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a script in bash, as in a pipeline: without a terminal. */
export function runBash(script: string, options: { cwd: string; env: Record<string, string> }): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-s'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const ran = { stdout: '', stderr: '' };
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (ran.stdout += chunk));
    shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (ran.stderr += chunk));
    shell.once('error', reject);
    shell.once('close', (code) => resolve({ code, ...ran }));
    shell.stdin.end(script);
  });
}

/** The folders of PATH without those of npm packages. */
function systemFolders(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((name) => name !== '' && !name.includes('node_modules'));
}

/** Node.js 20 if PATH has it, else the oldest newer one. */
function oldestNode(): { node: string; version: string } {
  const found = [process.execPath, ...systemFolders().map((name) => join(name, 'node'))].flatMap((node) => {
    const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const major = Number(/^v(\d+)/.exec(stdout ?? '')?.[1]);
    return status === 0 && major >= 20 ? [{ node, version: stdout.trim(), major }] : [];
  });
  const [oldest] = found.toSorted((a, b) => a.major - b.major);
  if (!oldest) throw new Error('no Node.js on PATH');
  return oldest;
}
