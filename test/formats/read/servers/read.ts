import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sniffEncoding } from '../../../../src/formats/rows/encoding.ts';
import { readServerRows, type ServerFile } from '../../../../src/formats/read/servers/read-server-file.ts';
import { recognizeServerFile } from '../../../../src/formats/read/servers/recognize.ts';
import type { ServerContext } from '../../../../src/formats/read/servers/statement.ts';
import { isRowError } from '../../../../src/rules/entry.ts';

/** Writes a file that is removed when the test ends. */
export async function textFile(content: string | Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'detour-server-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return { path, plan: 'enterprise' as const, encoding: await sniffEncoding(path) };
}

export const formatOf = async (content: string, fileName = '') =>
  recognizeServerFile(await textFile(content), fileName);

/** Rules, errors and notices of a file of the website example.com, each as one text. */
export async function readServerFile(
  content: string | Buffer,
  changes: Partial<ServerContext> = {},
): Promise<{ format: string; rules: string[]; errors: string[]; notices: string[] }> {
  const text = await textFile(content);
  const fileName = changes.fileName ?? '';
  const format = await recognizeServerFile(text, fileName);
  if (!format) throw new Error('CSV');
  const hosts = new Set(['example.com', 'www.example.com']);
  const options = { query: 'pass', trailingSlash: 'exact', caseSensitive: true, fileName } as const;
  const context = { hosts: [...hosts], ownHosts: hosts, ruleHosts: hosts, ...options, ...changes };
  const file: ServerFile = { ...text, format, context, notices: [] };
  const rules: string[] = [];
  const errors: string[] = [];
  for await (const rows of readServerRows(file)) {
    for (const { row } of rows) {
      if (isRowError(row)) errors.push(`${row.line} ${row.code} ${row.message}`);
      else rules.push(`${row.statusCode} ${row.isRegex ? '~' : ''}${row.oldPath} ${row.newPath ?? '-'}`);
    }
  }
  return {
    format,
    rules,
    errors,
    notices: file.notices.map(({ code, column, count, sides }) => {
      const counts = sides?.map((side) => `${side.value} ${side.count}`) ?? [count];
      return `${code} ${column} ${counts.join(', ')}`;
    }),
  };
}
