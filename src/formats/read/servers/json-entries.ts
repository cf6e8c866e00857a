/**
 * Cuts the entries out of a JSON file as it is read: a list, or the list `redirects` of an object, which may be the member
 * `inside` of another one, also in a list.
 */
import { invalid } from '../../../vocabulary/error.ts';
import { MAX_ROW_BYTES } from '../../rows/lines.ts';
import { physicalLines, type TextFile } from './physical-lines.ts';

/** An entry of the list, or another member of the object. */
export type JsonPart = { line: number; text: string; entry: unknown } | { member: string };

type Scan = ReturnType<typeof startScan>;

const startScan = (inside: string | undefined) => ({
  inside,
  /** containers around the object that has the list */
  entered: 0,
  /** brackets and braces around the current character */
  stack: [] as string[],
  isString: false,
  isEscaped: false,
  /** the value or name that is being read, and the line where it begins */
  text: '',
  line: 1,
  member: undefined as string | undefined,
  hasList: false,
  isEnded: false,
});

const MAX_DEPTH = 50;
const SEVERAL_SITES =
  'the file has the redirects of several sites; keep one entry in it, and import it into the website of that site';

/** Throws VALIDATION_ERROR with the line if the file is not JSON with such a list, or an entry is over 64 KiB. */
export async function* jsonEntries(
  file: TextFile,
  onRead?: (bytes: number) => void,
  inside?: string,
): AsyncGenerator<JsonPart[]> {
  const scan = startScan(inside);
  let last = 1;
  for await (const lines of physicalLines(file, onRead)) {
    const found: JsonPart[] = [];
    for (const { line, text, problem } of lines) {
      if (problem !== undefined) throw invalid('file', `line ${line}: ${problem}`);
      last = line;
      for (const character of `${text}\n`) step(scan, character, line, found);
    }
    yield found;
  }
  if (!scan.isEnded) throw invalid('file', `line ${last}: the JSON ends before it is complete`);
  if (scan.hasList) return;
  const ofFirebase = 'the file of Firebase has no list hosting.redirects; choose the firebase.json that has it';
  throw invalid('file', inside === undefined ? 'the JSON has no list of redirects' : ofFirebase);
}

const inList = ({ stack, member, inside, entered }: Scan): boolean =>
  stack.at(-1) === '[' &&
  (inside === undefined && stack.length === 1 ? true : stack.length - entered === 2 && member === 'redirects') &&
  (inside === undefined || entered > 0);

const inObject = ({ stack, entered }: Scan): boolean => stack.length - entered === 1 && stack.at(-1) === '{';

/** True at the beginning of the value of `inside`, or of an element of its list. */
const isInside = ({ inside, stack, entered, member }: Scan): boolean =>
  inside !== undefined &&
  ((stack.length === 1 && member === inside) || (stack.length === 2 && entered === 1 && stack[1] === '['));

function step(scan: Scan, character: string, line: number, found: JsonPart[]): void {
  const isSpace = /\s/.test(character);
  if (scan.isEnded && !isSpace) throw invalid('file', `line ${line}: there is text after the end of the JSON`);
  if (scan.text === '' && (isSpace || character === ',')) return;
  if (scan.isString) inString(scan, character);
  else if (character === '"') add(scan, character, line, true);
  else if (character === '[' || character === '{') open(scan, character, line);
  else if (character === ']' || character === '}') close(scan, character, line, found);
  else if (character === ',' && isTop(scan)) finish(scan, found);
  else if (character === ':' && inObject(scan)) name(scan, line);
  else add(scan, character, line, false);
}

/** True between the entries, or between the members of the object. */
const isTop = (scan: Scan): boolean => inList(scan) || scan.stack.length - scan.entered === 1;

function add(scan: Scan, character: string, line: number, isString: boolean): void {
  if (scan.text === '') scan.line = line;
  if (scan.text.length >= MAX_ROW_BYTES) throw invalid('file', `line ${scan.line}: a value is longer than 64 KiB`);
  scan.text += character;
  if (isString) scan.isString = true;
}

function inString(scan: Scan, character: string): void {
  add(scan, character, scan.line, false);
  if (scan.isEscaped) scan.isEscaped = false;
  else if (character === '\\') scan.isEscaped = true;
  else if (character === '"') scan.isString = false;
}

function open(scan: Scan, character: string, line: number): void {
  if (scan.stack.length >= MAX_DEPTH) throw invalid('file', `line ${line}: the JSON is nested too deeply`);
  const isEntered = isInside(scan);
  scan.stack.push(character);
  if (isEntered) {
    scan.entered++;
    scan.member = undefined;
  } else if (inList(scan)) {
    if (scan.hasList && scan.inside !== undefined) throw invalid('file', `line ${line}: ${SEVERAL_SITES}`);
    scan.hasList = true;
  } else if (scan.stack.length > 1) add(scan, character, line, false);
}

function close(scan: Scan, character: string, line: number, found: JsonPart[]): void {
  const opener = character === ']' ? '[' : '{';
  if (scan.stack.at(-1) !== opener) throw invalid('file', `line ${line}: an unexpected "${character}"`);
  const wasTop = isTop(scan);
  if (wasTop) finish(scan, found);
  const wasList = inList(scan);
  const wasEntered = scan.entered > 0 && scan.stack.length - scan.entered === 1;
  scan.stack.pop();
  if (scan.stack.length === 0) scan.isEnded = true;
  else if (wasEntered) {
    scan.entered--;
    scan.member = undefined;
  } else if (!wasList) {
    add(scan, character, line, false);
    if (inList(scan)) finish(scan, found);
  } else scan.member = undefined;
}

function name(scan: Scan, line: number): void {
  const parsed: unknown = parse(scan.text, line);
  scan.member = typeof parsed === 'string' ? parsed.slice(0, 100) : '';
  scan.text = '';
}

function finish(scan: Scan, found: JsonPart[]): void {
  const { text, line, member } = scan;
  const isEntry = inList(scan);
  scan.text = '';
  if (text.trim() === '') {
    if (!isEntry) scan.member = undefined;
    return;
  }
  const value = parse(text, line);
  if (isEntry) found.push({ line, text, entry: value });
  else {
    if (member !== undefined) found.push({ member });
    scan.member = undefined;
  }
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('file', `line ${line}: this is not JSON`);
  }
}
