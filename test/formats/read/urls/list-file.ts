import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readUrlList } from '../../../../src/formats/read/urls/read-url-list.ts';
import type { UrlBatch } from '../../../../src/formats/read/urls/url-row.ts';

/** Writes a file that is removed when the test ends. */
export function listFile(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'detour-urls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'list');
  writeFileSync(path, content);
  return path;
}

/** Reads all rows of a file. */
export async function readPath(path: string, maxBytes?: number): Promise<UrlBatch> {
  const all: UrlBatch = { rows: [], invalid: [] };
  for await (const { rows, invalid } of readUrlList(path, maxBytes === undefined ? {} : { maxBytes })) {
    all.rows.push(...rows);
    all.invalid.push(...invalid);
  }
  return all;
}

/** Reads all rows of a list. */
export const readList = (content: string | Buffer, maxBytes?: number): Promise<UrlBatch> =>
  readPath(listFile(content), maxBytes);

/** The addresses of a list without invalid rows. */
export async function urlsOf(content: string | Buffer): Promise<string[]> {
  const { rows, invalid } = await readList(content);
  if (invalid.length > 0) throw new Error(JSON.stringify(invalid));
  return rows.map(({ url }) => url);
}

/** Line and code of each invalid row. */
export async function codesOf(content: string | Buffer): Promise<string[]> {
  const { invalid } = await readList(content);
  return invalid.map(({ line, code }) => `${line} ${code}`);
}
