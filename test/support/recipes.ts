/** The configurations of docs/delivery.md, with the addresses of a test in place of those of the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'delivery.md'), 'utf8');

/** Addresses that replace those of the page. */
export interface Addresses {
  /** the port on which the server listens */
  port: number;
  detour?: number;
  origin?: number;
  /** the file that a sync writes */
  file?: string;
}

/** The code block below the comment `recipe: name`. */
export function recipe(name: string): string {
  const [, block] = new RegExp(`<!-- recipe: ${name} -->\\s+\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
  if (block === undefined) throw new Error(`docs/delivery.md has no recipe ${name}`);
  return block;
}

/** The names of all recipes, in the order of the page. */
export const recipeNames = (): string[] =>
  [...PAGE.matchAll(/<!-- recipe: ([\w-]+) -->/g)].map(([, name = '']) => name);

export function configurationOf(name: string, { port, detour, origin, file }: Addresses): string {
  return recipe(name)
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('<VirtualHost *:80>', `Listen 127.0.0.1:${port}\n<VirtualHost 127.0.0.1:${port}>`)
    .replace(/^www\.example\.com \{/m, `http://www.example.com:${port} {\n\tbind 127.0.0.1`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${detour ?? 1}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${origin ?? 1}`)
    .replace(/\/etc\/\w+\/detour\/redirects\.\w+/g, file ?? '/none');
}
