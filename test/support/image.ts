/**
 * Builds the container image without a registry and without a daemon: debootstrap makes a base image under the name
 * that the Dockerfile asks for, from the machine's own apt sources and Node.js. Needs root, buildah and debootstrap.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..');
const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const MAX_OUTPUT = 64 * 1024 * 1024;
const run = promisify(execFile);

const Image = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Cmd: z.array(z.string()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
      Volumes: z.record(z.string(), z.unknown()),
      ExposedPorts: z.record(z.string(), z.unknown()),
    }),
  }),
});

export type ImageConfig = z.infer<typeof Image>['Docker']['config'];

export interface BuiltImage {
  config: ImageConfig;
  /** a container of the image; `buildah run` shares the network and the process ids of the machine */
  container(): Promise<Container>;
  /** ends what still runs and removes images and containers */
  clear(): Promise<void>;
}

export interface Container {
  /** runs a command in the container until it ends, as the image's user */
  run(command: string[], env?: Record<string, string>): Promise<string>;
  /** starts a command in the container, as the image's user */
  start(command: string[], env: Record<string, string>): ChildProcess;
}

/** Builds the Dockerfile of the repository. Throws one line that says what the machine lacks. */
export async function buildImage(): Promise<BuiltImage> {
  assertCanBuild();
  const folder = mkdtempSync(join(tmpdir(), 'detour-image-'));
  const running = new Set<ChildProcess>();
  const args = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const env = { ...process.env, PATH, BUILDAH_ISOLATION: 'chroot', TMPDIR: folder };
  const buildah = async (...rest: string[]) =>
    (await run('buildah', [...args, ...rest], { cwd: ROOT, env, maxBuffer: MAX_OUTPUT })).stdout.trim();

  async function clear() {
    for (const child of running) child.kill('SIGKILL');
    await buildah('rm', '--all');
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await makeBase(join(folder, 'base'), buildah);
    // The cache of npm saves the downloads, because the tests' own packages come from it.
    const cache = execFileSync('npm', ['config', 'get', 'cache'], { cwd: ROOT, env, encoding: 'utf8' }).trim();
    const options = ['--pull-never', '--format', 'docker', '--network', 'host', '--volume', `${cache}:/root/.npm`];
    await buildah('bud', ...options, '--tag', 'detour', '.');
    const inspected: unknown = JSON.parse(await buildah('inspect', '--type', 'image', 'detour'));
    const { config } = Image.parse(inspected).Docker;
    const inside = (name: string, command: string[], variables: Record<string, string>) => [
      ...['run', '--network', 'host', '--user', config.User],
      ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...[name, '--', ...command],
    ];
    return {
      config,
      async container() {
        const name = await buildah('from', '--pull-never', 'detour');
        return {
          run: (command, variables = {}) => buildah(...inside(name, command, variables)),
          start(command, variables) {
            const child = spawn('buildah', [...args, ...inside(name, command, variables)], { cwd: ROOT, env });
            running.add(child.once('close', () => running.delete(child)));
            return child;
          },
        };
      },
      clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

function assertCanBuild(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('the image test needs root on Linux, because debootstrap and buildah use chroot: run it as root');
  for (const program of ['buildah', 'debootstrap', 'npm'])
    if (which(program) === undefined) throw new Error(`the image test needs ${program}: install its Debian package`);
}

function which(program: string): string | undefined {
  try {
    const found = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8', env: { PATH } });
    return realpathSync(found.trim());
  } catch {
    return undefined;
  }
}

/** Makes the Dockerfile's base image: the machine's Debian, with its Node.js, npm and certificates, and a user `node`. */
async function makeBase(folder: string, buildah: (...args: string[]) => Promise<string>): Promise<void> {
  const { mirror, suite } = debianSource();
  const env = { ...process.env, PATH };
  await run('debootstrap', ['--variant=minbase', suite, folder, mirror], { env, maxBuffer: MAX_OUTPUT });
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'));
  const npm = dirname(dirname(which('npm') ?? ''));
  cpSync(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'));
  mkdirSync(join(folder, dirname(CERTIFICATES)), { recursive: true });
  cpSync(CERTIFICATES, join(folder, CERTIFICATES), { dereference: true });
  await run('chroot', [folder, 'useradd', '--uid', '1000', '--create-home', 'node'], { env });
  const container = await buildah('from', 'scratch');
  await buildah('copy', '--quiet', container, folder, '/');
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { cwd: ROOT, env, encoding: 'utf8' }).trim();
  for (const variable of [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    'npm_config_prefer_offline=true',
    `npm_config_registry=${registry}`,
  ])
    await buildah('config', '--env', variable, container);
  await buildah('commit', '--quiet', container, baseImage());
  await buildah('rm', container);
  rmSync(folder, { recursive: true });
}

/** The base image that the Dockerfile names. */
export function baseImage(): string {
  const name = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
  if (name === undefined) throw new Error('the Dockerfile has no line ARG NODE_IMAGE=...: put it back');
  return name;
}

/** The archive and the release of this machine, from its own apt sources. */
function debianSource(): { mirror: string; suite: string } {
  const suite = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  const format = '$(REPO_URI) $(CODENAME) $(COMPONENT)';
  const lines = execFileSync('apt-get', ['indextargets', '--format', format], { encoding: 'utf8' }).split('\n');
  const mirror = lines.map((line) => line.split(' ')).find(([, name, part]) => name === suite && part === 'main')?.[0];
  if (mirror === undefined)
    throw new Error(
      `apt-get indextargets lists no archive of Debian ${suite}: add it to /etc/apt and run apt-get update`,
    );
  return { mirror, suite };
}

/** The process of a command that `buildah run` started, which has the machine's process ids. Undefined before it runs. */
export function processOf(child: ChildProcess, command: string[]): number | undefined {
  const pending = [child.pid ?? 0];
  for (let pid = pending.shift(); pid !== undefined; pid = pending.shift()) {
    const [program = '', ...rest] = readOr(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);
    if (program.endsWith(`/${command[0]}`) && rest.join(' ') === command.slice(1).join(' ')) return pid;
    for (const file of globSync(`/proc/${pid}/task/*/children`))
      pending.push(...readOr(file).split(' ').filter(Boolean).map(Number));
  }
  return undefined;
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
