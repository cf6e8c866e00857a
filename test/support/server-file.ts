/** Server files as real sites have them, with the rules that they become and requests to their server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../fixtures/server-files/', import.meta.url));

export interface ExpectedRequest {
  target: string;
  status: number;
  location: string | undefined;
}

export const fixtureText = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

/** `target status [location]` in each line. */
export function expectedRequests(folder: string): ExpectedRequest[] {
  const lines = fixtureText(`${folder}/requests.txt`).split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [target = '', status = '', location] = line.split(' ');
      return { target, status: Number(status), location };
    });
}
