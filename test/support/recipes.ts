/** The configurations of docs/examples/delivery, with the addresses of a test in place of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'examples', 'delivery');
const FILES = readdirSync(FOLDER);

/** Addresses that replace those of the example. */
export interface Addresses {
  /** the port on which the server listens */
  port: number;
  detour?: number;
  origin?: number;
  /** the file that a sync writes */
  file?: string;
}

/** The text of the example. */
export function recipe(name: string): string {
  const file = FILES.find((one) => one.split('.')[0] === name);
  if (file === undefined) throw new Error(`docs/examples/delivery has no ${name}`);
  return readFileSync(join(FOLDER, file), 'utf8');
}

export const recipeNames = (): string[] => FILES.map((file) => file.split('.')[0] ?? '');

export function configurationOf(name: string, { port, detour, origin, file }: Addresses): string {
  return recipe(name)
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('<VirtualHost *:80>', `Listen 127.0.0.1:${port}\n<VirtualHost 127.0.0.1:${port}>`)
    .replace(/^www\.example\.com \{/m, `http://www.example.com:${port} {\n\tbind 127.0.0.1`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${detour ?? 1}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${origin ?? 1}`)
    .replace(/\/etc\/\w+\/detour\/redirects\.\w+/g, file ?? '/none');
}
