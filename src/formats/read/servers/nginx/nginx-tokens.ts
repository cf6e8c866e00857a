import { MAX_ROW_BYTES } from '../../../rows/lines.ts';
import { physicalLines, type TextFile } from '../physical-lines.ts';

/** A directive of nginx: its words, and how it ends. `}` has no words. */
export interface Directive {
  line: number;
  words: string[];
  end: ';' | '{' | '}';
  text: string;
  problem?: string;
}

type Scan = ReturnType<typeof fresh>;

const fresh = () => ({
  ...{ words: [] as string[], word: undefined as string | undefined },
  ...{ quote: '', text: '', line: 0, isEscaped: false },
});

/** Yields the directives of a file. Words may be quoted; `#` begins a comment outside of words. */
export async function* nginxDirectives(file: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<Directive[]> {
  let scan = fresh();
  for await (const lines of physicalLines(file, onRead)) {
    const found: Directive[] = [];
    for (const { line, text, problem } of lines) {
      if (problem !== undefined) found.push(broken({ line, text }, problem));
      else scan = scanLine(scan, `${text}\n`, line, found);
      if (scan.text.length <= MAX_ROW_BYTES) continue;
      const shown = { line: scan.line, text: scan.text.slice(0, 200) };
      found.push(broken(shown, 'the directive is longer than 64 KiB; a ";" or a quote is missing'));
      scan = fresh();
    }
    yield found;
  }
  if (scan.words.length > 0 || scan.word !== undefined) yield [broken(scan, 'the directive does not end with ";"')];
}

const broken = ({ line, text }: Pick<Directive, 'line' | 'text'>, problem: string): Directive => ({
  ...{ line, words: [], end: ';', text, problem },
});

function scanLine(start: Scan, text: string, line: number, found: Directive[]): Scan {
  let scan = start;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const isSpace = character === ' ' || character === '\t' || character === '\n';
    const isIdle = scan.word === undefined;
    if (isIdle && character === '#') return scan;
    if (scan.text === '' && isSpace) continue;
    if (scan.text === '') scan.line = line;
    scan.text += character;
    if (scan.quote !== '' || scan.isEscaped || character === '\\') inWord(scan, character);
    else if (isIdle && (character === '"' || character === "'")) {
      scan.quote = character;
      scan.word = '';
    } else if (isSpace) endWord(scan);
    else if (
      character === ';' ||
      (character === '{' && !/\$$/.test(scan.word ?? '')) ||
      (character === '}' && !isVariable(scan.word))
    ) {
      endWord(scan);
      if (character === '}' && scan.words.length > 0) found.push(broken(scan, 'a ";" is missing before "}"'));
      const words = character === '}' ? [] : scan.words;
      if (character !== ';' || words.length > 0)
        found.push({ line: scan.line, words, end: character, text: scan.text });
      scan = fresh();
    } else scan.word = (scan.word ?? '') + character;
  }
  return scan;
}

/** True inside `${name}`. */
const isVariable = (word: string | undefined): boolean => /\$\{\w+$/.test(word ?? '');

function inWord(scan: Scan, character: string): void {
  if (scan.isEscaped) {
    // A backslash escapes quotes, itself and what would end the word; before others it stays.
    scan.word = (scan.word ?? '') + (/["'\\ \t;{}#]/.test(character) ? character : `\\${character}`);
    scan.isEscaped = false;
  } else if (character === '\\') {
    scan.isEscaped = true;
    scan.word ??= '';
  } else if (character === scan.quote) {
    scan.quote = '';
    endWord(scan);
  } else scan.word = (scan.word ?? '') + character;
}

function endWord(scan: Scan): void {
  if (scan.word !== undefined) scan.words.push(scan.word);
  scan.word = undefined;
}
