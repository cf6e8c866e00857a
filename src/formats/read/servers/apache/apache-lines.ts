import { MAX_ROW_BYTES } from '../../../rows/lines.ts';
import { type PhysicalLine, physicalLines, type TextFile } from '../physical-lines.ts';

/** Yields the directives of a file, without comments and empty lines. A backslash at its end continues a line. */
export async function* apacheLines(file: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<PhysicalLine[]> {
  let open: PhysicalLine | undefined;
  for await (const lines of physicalLines(file, onRead)) {
    const found: PhysicalLine[] = [];
    for (const { line, text, problem } of lines) {
      const current: PhysicalLine = open ?? { line, text: '', problem };
      const isContinued = problem === undefined && /(?:^|[^\\])\\$/.test(text);
      current.text += isContinued ? text.slice(0, -1) : text;
      if (current.text.length > MAX_ROW_BYTES) {
        current.problem = 'the directive is longer than 64 KiB';
        current.text = current.text.slice(0, 200);
      }
      open = isContinued && current.problem === undefined ? current : undefined;
      if (open) continue;
      current.text = current.text.trim();
      if (current.text !== '' && !current.text.startsWith('#')) found.push(current);
    }
    yield found;
  }
  if (open) yield [{ ...open, text: open.text.trim() }];
}

/** Splits arguments at white space. Quotes enclose an argument; a backslash before white space keeps it. */
export function argumentsOf(text: string): string[] {
  const found: string[] = [];
  const ARGUMENT = /\s*(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|((?:[^\s\\]|\\[^])+))/y;
  for (let match = ARGUMENT.exec(text); match; match = ARGUMENT.exec(text)) {
    found.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return found;
}
