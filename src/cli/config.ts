/** The service and the API key: from the environment, else from the file that `detour login` writes. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError, UsageError } from './errors.ts';
import { serviceUrl } from './options.ts';

export type Environment = Record<string, string | undefined>;

export interface Connection {
  url: string;
  apiKey: string;
}

/** `$XDG_CONFIG_HOME/detour/config.json`, by default below `~/.config`. */
export function configPath(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'detour', 'config.json');
}

/** The stored connection; empty before the first `login`. Throws a CommandError if the file cannot be read. */
export async function readConfig(env: Environment): Promise<Partial<Connection>> {
  const path = configPath(env);
  let file: unknown;
  try {
    file = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new CommandError(`${path} cannot be read: remove it, then run \`detour login\``);
  }
  const fields: Record<string, unknown> = { ...(typeof file === 'object' ? file : null) };
  const [url, apiKey] = [fields['url'], fields['api_key']];
  return {
    ...(typeof url === 'string' && { url }),
    ...(typeof apiKey === 'string' && { apiKey }),
  };
}

/** Writes the connection with mode 0600. A reader sees the former file or the new one. Returns its path. */
export async function writeConfig(env: Environment, { url, apiKey }: Connection): Promise<string> {
  const path = configPath(env);
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`the key cannot be stored: ${reason}; set XDG_CONFIG_HOME to a folder that can be written`);
  }
  return path;
}

/** The connection of a command. Throws a CommandError that says what is missing. */
export async function connectionOf(env: Environment, url: string | undefined): Promise<Connection> {
  const stored = env['DETOUR_API_KEY'] && (url || env['DETOUR_URL']) ? {} : await readConfig(env);
  const address = url || env['DETOUR_URL'] || stored.url;
  if (!address) throw new UsageError('no service: run `detour login`, or set DETOUR_URL and DETOUR_API_KEY');
  const found = serviceUrl(address);
  // A stored key belongs to the stored service, and must not reach another one.
  const apiKey = env['DETOUR_API_KEY'] || (stored.url === found ? stored.apiKey : undefined);
  if (!apiKey) throw new UsageError(`no API key for ${found}: run \`detour login\`, or set DETOUR_API_KEY`);
  return { url: found, apiKey };
}
