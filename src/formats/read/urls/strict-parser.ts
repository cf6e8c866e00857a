/**
 * Makes htmlparser2 reject XML that is not well-formed: alone it closes open elements, ignores end tags without a start
 * tag, and accepts a document that ends within a tag or a comment.
 */
import { Parser } from 'htmlparser2';

/** Receives the elements of a document with their depth, 1 for the root. Text arrives undecoded, in parts. */
export interface ElementHandler {
  open(name: string, depth: number): void;
  /** `depth` is that of the element that contains the text; 0 outside the root. */
  text(text: string, depth: number, isCdata: boolean): void;
  close(name: string, depth: number): void;
}

/** Why a document is not well-formed; the caller knows the line. */
export class NotWellFormed extends Error {}

const MAX_DEPTH = 10;
/** Characters of a tag or comment. htmlparser2 holds one until it ends. */
const MAX_TOKEN = 1024 * 1024;
const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}._:·-]*$/u;

export type StrictParser = ReturnType<typeof createStrictParser>;

/** Throws NotWellFormed from `write` and `end`. `onDoctype` must throw. */
export function createStrictParser(handler: ElementHandler, onDoctype: () => never) {
  const names: string[] = [];
  const state = { hasRoot: false, isCdata: false, isEnding: false, written: 0, last: '' };
  const parser = new EndTagParser(
    {
      onopentagname: (name) => {
        if (!NAME.test(name)) throw new NotWellFormed('a tag has no valid name; write < as &lt; in text');
        if (names.length === 0 && state.hasRoot) throw new NotWellFormed('there is a second root element');
        if (names.length === MAX_DEPTH) throw new NotWellFormed(`elements are nested deeper than ${MAX_DEPTH}`);
        state.hasRoot = true;
        names.push(name);
        handler.open(name, names.length);
      },
      onattribute: (name, value, quote) => {
        if (!quote || value.includes('<')) throw new NotWellFormed(`the attribute ${name.slice(0, 60)} is not quoted`);
      },
      onclosetag: (name) => {
        handler.close(name, names.length);
        names.pop();
      },
      ontext: (text) => {
        if ((names.length === 0 || state.isEnding) && text.trim() !== '')
          throw new NotWellFormed('there is text outside the root element');
        if (!state.isCdata && text.includes('<')) throw new NotWellFormed('a < is not part of a tag; write &lt;');
        if (names.length > 0) handler.text(text, names.length, state.isCdata);
      },
      oncdatastart: () => (state.isCdata = true),
      oncdataend: () => (state.isCdata = false),
      oncomment: () => {
        if (state.isEnding) throw new NotWellFormed('the document ends within a comment');
      },
      onprocessinginstruction: (name) => {
        if (/^!doctype$/i.test(name)) onDoctype();
        if (name.startsWith('!')) throw new NotWellFormed('a declaration is not allowed here');
      },
    },
    names,
  );
  return {
    write(text: string): void {
      parser.write(text);
      state.written += text.length;
      state.last = text.trimEnd().at(-1) ?? state.last;
      if (state.written - parser.endIndex > MAX_TOKEN) throw new NotWellFormed('a tag or comment is longer than 1 MiB');
    },
    end(): void {
      const open = names.at(-1);
      if (open !== undefined)
        throw new NotWellFormed(`the document is truncated: <${open.slice(0, 60)}> is not closed`);
      state.isEnding = true;
      parser.end();
      if (!state.hasRoot || state.last !== '>') throw new NotWellFormed('the document is truncated');
    },
    /** Index of the last character of the current tag. */
    position: (): number => parser.endIndex,
  };
}

class EndTagParser extends Parser {
  readonly #names: readonly string[];

  constructor(callbacks: ConstructorParameters<typeof Parser>[0], names: readonly string[]) {
    super(callbacks, { xmlMode: true, decodeEntities: false });
    this.#names = names;
  }

  override onclosetag(start: number, endIndex: number): void {
    const open = this.#names.length;
    super.onclosetag(start, endIndex);
    // htmlparser2 closes every element up to the one that the tag names, or none.
    if (this.#names.length !== open - 1) throw new NotWellFormed('an end tag does not match its start tag');
  }
}
