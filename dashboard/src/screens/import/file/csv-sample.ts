/** A preview of a CSV file's first rows. The service parses the file itself, and may read it differently. */

const BYTES = 65_536;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The cells of the first `rows` rows, from the first 64 KiB of the file. */
export async function sampleOf(file: Blob, rows: number): Promise<string[][]> {
  const bytes = new Uint8Array(await file.slice(0, BYTES).arrayBuffer());
  return sampleRows(decode(bytes), rows);
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

export function sampleRows(text: string, rows: number): string[][] {
  const delimiter = delimiterOf(text.split(/\r\n|\r|\n/, 1)[0] ?? '');
  const found: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length && found.length < rows; at++) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === delimiter || char === '\n' || char === '\r') {
      row.push(cell.trim());
      cell = '';
      if (char === delimiter) continue;
      if (char === '\r' && text[at + 1] === '\n') at++;
      if (row.some((each) => each !== '')) found.push(row);
      row = [];
    } else cell += char;
  }
  if (found.length < rows && (row.length > 0 || cell !== '')) found.push([...row, cell.trim()]);
  return found;
}

const ADDRESS = /^(?:\^?\/|https?:\/\/)/i;
const STATUS = /^(?:30[12378]|410|451)$/;

/**
 * Fields for the columns of a file whose header has unknown names, by the rows below it: the first column of paths or URLs
 * is the source, the second one the target. Undefined if there are no two of them, or no header.
 */
export function guessedFields([header = [], ...rows]: readonly string[][]): Record<string, string> | undefined {
  const isAll = (form: RegExp, at: number): boolean => {
    const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
    return cells.length > 0 && cells.every((cell) => form.test(cell));
  };
  const columns = [...header.keys()].filter((at) => header[at] !== '');
  const [source, target] = columns.filter((at) => isAll(ADDRESS, at));
  if (source === undefined || target === undefined || header.some((cell) => ADDRESS.test(cell))) return undefined;
  const status = columns.find((at) => isAll(STATUS, at));
  const found: [at: number, field: string][] = [
    [source, 'old_path'],
    [target, 'new_path'],
  ];
  if (status !== undefined) found.push([status, 'status_code']);
  return Object.fromEntries(found.map(([at, field]) => [header[at] ?? '', field]));
}

function delimiterOf(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}
