/** Tools whose cells need more than the role of their column: rewrites a row before its fields are read. */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { readBoolean } from '../../rows/cells.ts';
import { normalHeader } from './column-role.ts';
import type { FormatName } from './csv-formats.ts';
import { readDrupal } from './tools/drupal.ts';
import { readHubspot } from './tools/hubspot.ts';
import type { RowOptions, ToolCells } from './tools/tool-cells.ts';
import { readTypo3 } from './tools/typo3.ts';
import type { CsvLayout } from './layout.ts';

interface ToolRows {
  flags: string;
  read: (row: ToolCells) => RowOptions | Issue;
}

const TOOL_ROWS: Partial<Record<FormatName, ToolRows>> = {
  drupal: { flags: '', read: readDrupal },
  hubspot: {
    flags: 'matchquerystring matchquerystrings ignoretrailingslash ignoreprotocol ignoreprotocoldifferences',
    read: readHubspot,
  },
  typo3: { flags: 'respectqueryparameters keepqueryparameters forcehttps', read: readTypo3 },
};

/** Returns undefined for a tool whose rows are read by their roles alone. */
export function createToolReader({ format, columns }: CsvLayout) {
  const tool = TOOL_ROWS[format];
  if (!tool) return undefined;
  const places = new Map<string, number>();
  for (const [at, { header, role }] of columns.entries())
    if (role !== 'ignored' && role !== 'report') places.set(role === 'tool' ? normalHeader(header) : role, at);
  const names = tool.flags.split(' ').filter((name) => places.has(name));
  return (written: readonly string[]): { cells: readonly string[]; options: RowOptions } | Issue => {
    const cells = [...written];
    const cell = (name: string): string => cells[places.get(name) ?? -1] ?? '';
    const flags: Record<string, boolean | undefined> = {};
    for (const name of names) {
      const flag = readBoolean(cell(name), 'row', columns[places.get(name) ?? -1]?.header ?? name);
      if (isIssue(flag)) return flag;
      flags[name] = flag;
    }
    const replace = (name: string, text: string): void => {
      const at = places.get(name) ?? -1;
      if (at in cells) cells[at] = text;
    };
    const options = tool.read({ cell, replace, flags });
    return isIssue(options) ? options : { cells, options };
  };
}
