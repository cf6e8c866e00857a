/** Recognizes files that have no rows, before they are sent, by their first bytes. */
import type { FileProblem } from '../import-words.ts';

const START_BYTES = 512;

const AS_CSV = 'In Excel or another program, save it as “CSV UTF-8”, then choose that file.';
const OTHER = 'Choose a CSV file, or the file of a server such as .htaccess.';

const SPREADSHEET: FileProblem = {
  title: 'This is a spreadsheet file',
  remedy: 'Copy its rows and paste them on this screen. Or save it as “CSV UTF-8”, then choose that file.',
};
const ARCHIVE: FileProblem = { title: 'This is a compressed file', remedy: 'Unpack it, then choose a file from it.' };
const XML: FileProblem = { title: 'This is an XML file', remedy: OTHER };
const IMAGE: FileProblem = { title: 'This is an image', remedy: OTHER };

const STARTS: readonly (readonly [RegExp, FileProblem])[] = [
  [/^PK\u0003\u0004/, ARCHIVE],
  [/^(?:\u001f\u008b|7z\u00bc\u00af|Rar!)/, ARCHIVE],
  [/^\u00d0\u00cf\u0011\u00e0/, SPREADSHEET],
  [/^(?:\u0089PNG|\u00ff\u00d8\u00ff|GIF8|RIFF....WEBP|BM.{4}\0\0\0\0)/s, IMAGE],
  [/^%PDF-/, { title: 'This is a PDF', remedy: `Copy its rows into a spreadsheet. ${AS_CSV}` }],
  [/^\s*<(?:!doctype html|html|head|body)\b/i, { title: 'This is a web page', remedy: OTHER }],
  [/^\s*<\?xml\b/, XML],
];

const SPREADSHEET_NAME = /\.(?:xls[xmb]?|ods|numbers)$/i;

/** Why a file with this start and name cannot be imported; undefined if the service decides. */
export function problemOfStart(start: Uint8Array, name: string): FileProblem | undefined {
  const text = String.fromCharCode(...start).replace(/^\u00ef\u00bb\u00bf/, '');
  const found = STARTS.find(([pattern]) => pattern.test(text))?.[1];
  // A web.config of IIS is XML as well.
  if (found === XML && !/\.xml$/i.test(name)) return undefined;
  return found === ARCHIVE && SPREADSHEET_NAME.test(name) ? SPREADSHEET : found;
}

/** Files that another program has changed or locked, and folders, cannot be read. */
export const UNREADABLE: FileProblem = {
  title: 'The file cannot be read',
  remedy: 'It has changed since you chose it, or is a folder. Choose the file again.',
};

export async function problemOfFile(file: File): Promise<FileProblem | undefined> {
  try {
    return problemOfStart(new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer()), file.name);
  } catch {
    return UNREADABLE;
  }
}
