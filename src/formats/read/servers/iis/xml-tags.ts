/**
 * The tags of an XML file as it is read; text between them is ignored. Strict, and without anything that expands: no
 * DOCTYPE, no entities except the five of XML and characters by number. Own code, because no dependency reads XML.
 */
import { createTimeSlice } from '../../../../platform/scheduling/time-slice.ts';
import { invalid } from '../../../../vocabulary/error.ts';
import { physicalLines, type TextFile } from '../physical-lines.ts';

export type Attributes = ReadonlyMap<string, string>;

/** A start tag with its attributes, or an end tag. A tag such as `<a/>` is both, one after the other. */
export interface XmlTag {
  line: number;
  name: string;
  /** undefined: an end tag */
  attributes?: Attributes;
  /** as in the file */
  text: string;
}

const MAX_DEPTH = 50;
const MAX_TAG = 16 * 1024;
const BATCH_SIZE = 100;
/** Sections whose content is skipped, with their ends. */
const SKIPPED: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const WHOLE_TAG = /^<[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>/;
const TAG = /^<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>$/;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Throws VALIDATION_ERROR with the line if the file is not well-formed, has a DOCTYPE, or exceeds a limit. */
export async function* xmlTags(file: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<XmlTag[]> {
  const scan = startScan();
  const slice = createTimeSlice();
  for await (const lines of physicalLines(file, onRead)) {
    for (const { line, text, problem } of lines) {
      if (problem !== undefined) throw failed(line, problem);
      if (scan.pending === '') scan.begin = line;
      scan.line = line;
      let rest = `${scan.pending}${text}\n`;
      scan.pending = '';
      while (rest !== '') {
        const found: XmlTag[] = [];
        rest = readTags(scan, rest, found);
        if (found.length > 0) yield found;
        if (slice.isOver()) await slice.yield();
      }
    }
  }
  if (!scan.isEnded || scan.pending !== '' || scan.skippedTo !== undefined)
    throw failed(scan.line, 'the XML ends before it is complete');
}

type Scan = ReturnType<typeof startScan>;

const startScan = () => ({
  line: 1,
  /** the elements around the current tag */
  names: [] as string[],
  /** the beginning of a tag that has not ended yet, and its line */
  pending: '',
  begin: 1,
  /** the end of the section that is being skipped */
  skippedTo: undefined as string | undefined,
  isEnded: false,
});

const failed = (line: number, problem: string) => invalid('file', `line ${line}: ${problem}`);

/** Reads up to 100 tags. Returns the text after them, '' if it is read or the beginning of a tag. */
function readTags(scan: Scan, text: string, found: XmlTag[]): string {
  let rest = text;
  while (rest !== '' && found.length < BATCH_SIZE) {
    if (scan.skippedTo !== undefined) {
      const end = rest.indexOf(scan.skippedTo);
      if (end < 0) return '';
      rest = rest.slice(end + scan.skippedTo.length);
      scan.skippedTo = undefined;
    }
    const start = rest.indexOf('<');
    const before = start < 0 ? rest : rest.slice(0, start);
    if (scan.names.length === 0 && before.trim() !== '') throw failed(scan.line, 'there is text outside of the XML');
    if (start < 0) return '';
    rest = rest.slice(start);
    const skipped = SKIPPED.find(([opening]) => rest.startsWith(opening));
    if (skipped) {
      rest = rest.slice(skipped[0].length);
      scan.skippedTo = skipped[1];
      continue;
    }
    if (rest.startsWith('<!')) throw failed(scan.line, DOCTYPE);
    const whole = WHOLE_TAG.exec(rest)?.[0];
    if (whole === undefined) {
      if (rest.length > MAX_TAG) throw failed(scan.begin, 'a tag is longer than 16 KiB');
      scan.pending = rest;
      return '';
    }
    found.push(...take(scan, whole));
    rest = rest.slice(whole.length);
    scan.begin = scan.line;
  }
  return rest;
}

function take(scan: Scan, text: string): XmlTag[] {
  const { names, begin: line } = scan;
  const { name, isClosing, isEmpty, attributes } = readTag(text, (problem) => failed(line, problem));
  if (scan.isEnded) throw failed(line, 'there is a tag after the end of the XML');
  if (isClosing && names.pop() !== name) throw failed(line, `</${name}> closes no element`);
  if (!isClosing && !isEmpty) names.push(name);
  if (names.length > MAX_DEPTH) throw failed(line, 'the XML is nested too deeply');
  scan.isEnded = names.length === 0;
  const end = { line, name, text };
  return isClosing ? [end] : [{ ...end, attributes }, ...(isEmpty ? [{ ...end, text: '' }] : [])];
}

const DOCTYPE = 'a DOCTYPE or another declaration is not allowed in this file; remove it';

function readTag(text: string, fail: (problem: string) => Error) {
  const [, closing, name = '', written = '', empty] = TAG.exec(text) ?? [];
  if (name === '' || (closing !== '' && (written !== '' || empty !== ''))) throw fail('this is not an XML tag');
  const attributes = new Map<string, string>();
  for (const [, key = '', double, single = ''] of written.matchAll(ATTRIBUTE)) {
    if (attributes.has(key)) throw fail(`the attribute ${key} is repeated`);
    attributes.set(key, decode(double ?? single, fail));
  }
  return { name, isClosing: closing !== '', isEmpty: empty !== '', attributes };
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string, fail: (problem: string) => Error): string {
  return text.replace(/&(?:#(\d{1,7}|x[0-9a-fA-F]{1,6});|(\w+);)?/g, (all, number?: string, name?: string) => {
    const code = number === undefined ? Number.NaN : Number(number.startsWith('x') ? `0${number}` : number);
    const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    const character = isCharacter ? String.fromCodePoint(code) : ENTITIES[name ?? ''];
    if (character === undefined || !Object.hasOwn(ENTITIES, name ?? 'amp')) throw fail(`${all} is not allowed in XML`);
    return character;
  });
}
