/**
 * Makes htmlparser2 reject XML that is not well-formed: alone it closes open elements, ignores end tags without a start
 * tag, and accepts a document that ends within a tag or a comment.
 */
import { Parser } from 'htmlparser2';
import { type DomainError, type ErrorCode, invalid } from '../../../vocabulary/error.ts';

/** Receives the elements of a document with their depth, 1 for the root. */
export interface ElementHandler {
  open(name: string, depth: number): void;
  /** A part of the text of an element, with its references: `decodeReferences` replaces them. */
  text(text: string, depth: number): void;
  close(name: string, depth: number): void;
}

export type XmlReader = ReturnType<typeof createXmlReader>;

const MAX_DEPTH = 10;
/** Characters of a tag or comment. htmlparser2 holds one until it ends. */
const MAX_TOKEN = 1024 * 1024;
const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}._:·-]*$/u;
/** Characters that XML 1.0 does not allow, also as references. */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Reads chunks of UTF-8. Throws INVALID_XML or DTD_NOT_ALLOWED, with the line. */
export function createXmlReader(handler: ElementHandler) {
  const state = { names: [] as string[], hasRoot: false, isCdata: false, isEnding: false };
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const lines = createLineCount();
  let [written, last] = [0, ''];
  const line = (): number => lines.at(parser.endIndex);
  const broken: Broken = (message, code = 'INVALID_XML') => invalid('body', `line ${line()}: ${message}`, code);
  const parser = new Parser(callbacks(handler, state, broken), { xmlMode: true, decodeEntities: false });
  rejectWrongEndTags(parser, state, broken);
  function decode(chunk: Buffer): string {
    try {
      return decoder.decode(chunk, { stream: true });
    } catch {
      throw broken('the text after it is not valid UTF-8 or UTF-16');
    }
  }
  return {
    /** The line of the current tag. */
    line,
    broken,
    write(chunk: Buffer): void {
      const text = decode(chunk);
      const end = text.search(NOT_XML);
      lines.next(text);
      written += text.length;
      last = text.trimEnd().at(-1) ?? last;
      parser.write(end < 0 ? text : text.slice(0, end));
      if (end >= 0) throw broken('a control character follows; remove it');
      if (written - parser.endIndex > MAX_TOKEN) throw broken('a tag or comment is longer than 1 MiB');
    },
    end(): void {
      const open = state.names.at(-1);
      if (open !== undefined) throw broken(`the document is truncated: <${open.slice(0, 60)}> is not closed`);
      state.isEnding = true;
      parser.end();
      if (!state.hasRoot || last !== '>') throw broken('the document is truncated');
    },
  };
}

type State = { names: string[]; hasRoot: boolean; isCdata: boolean; isEnding: boolean };
type Broken = (message: string, code?: ErrorCode) => DomainError;

function callbacks(handler: ElementHandler, state: State, broken: Broken): ConstructorParameters<typeof Parser>[0] {
  const { names } = state;
  return {
    onopentagname(name) {
      if (!NAME.test(name)) throw broken('a tag has no valid name; write < as &lt; in text');
      if (names.length === 0 && state.hasRoot) throw broken('there is a second root element');
      if (names.length === MAX_DEPTH) throw broken(`elements are nested deeper than ${MAX_DEPTH}`);
      state.hasRoot = true;
      handler.open(name, names.push(name));
    },
    onattribute(name, value, quote) {
      if (!quote || value.includes('<')) throw broken(`the attribute ${name.slice(0, 60)} is not quoted`);
    },
    onclosetag(name) {
      handler.close(name, names.length);
      names.pop();
    },
    ontext(text) {
      const isOutside = names.length === 0 || state.isEnding;
      if (isOutside && text.trim() !== '') throw broken('there is text outside the root element');
      if (!state.isCdata && text.includes('<')) throw broken('a < is not part of a tag; write &lt;');
      if (!isOutside) handler.text(state.isCdata ? text.replaceAll('&', '&amp;') : text, names.length);
    },
    oncdatastart: () => (state.isCdata = true),
    oncdataend: () => (state.isCdata = false),
    oncomment() {
      if (state.isEnding) throw broken('the document ends within a comment');
    },
    onprocessinginstruction(name) {
      if (/^!doctype$/i.test(name)) throw broken('remove the DOCTYPE from the sitemap', 'DTD_NOT_ALLOWED');
      if (name.startsWith('!')) throw broken('a declaration is not allowed here');
    },
  };
}

/** htmlparser2 alone closes every element up to the one that an end tag names, or none. */
function rejectWrongEndTags(parser: Parser, { names }: State, broken: Broken): void {
  const onclosetag = parser.onclosetag.bind(parser);
  parser.onclosetag = (start, end) => {
    const open = names.length;
    onclosetag(start, end);
    if (names.length !== open - 1) throw broken('an end tag does not match its start tag');
  };
}

/** Counts the lines of the document up to the last position that was asked for. */
function createLineCount() {
  let [text, from, counted, line] = ['', 0, 0, 1];
  const at = (position: number): number => {
    for (let end = text.indexOf('\n', counted); end >= 0 && end < position - from; end = text.indexOf('\n', counted)) {
      line++;
      counted = end + 1;
    }
    return line;
  };
  return {
    at,
    next(chunk: string): void {
      at(Infinity);
      [text, from, counted] = [chunk, from + text.length, 0];
    },
  };
}

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

/** Undefined for an entity that XML does not define, a bare `&`, or the number of no character. */
export function decodeReferences(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isValid = true;
  const decoded = text.replace(
    /&(?:#(x?)([0-9a-f]{1,8})|([a-z]+));|&/gi,
    (_, hex?: string, digits?: string, name = '') => {
      const number = digits === undefined ? NaN : hex ? Number.parseInt(digits, 16) : Number(digits);
      const character = number <= 0x10ffff ? String.fromCodePoint(number) : NAMED.get(name);
      isValid &&= character !== undefined && character.isWellFormed() && !NOT_XML.test(character);
      return character ?? '';
    },
  );
  return isValid ? decoded : undefined;
}
