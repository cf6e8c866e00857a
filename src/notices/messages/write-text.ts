/** Texts of messages for channels. */
import { foreignText, MAX_FOREIGN_LENGTH } from '../../accounts/mail/foreign-text.ts';
import type { Message, Text } from './message.ts';
import { figure } from './words.ts';

type Row = NonNullable<Message['sections']>[number]['rows'][number];

/** One line of plain text. Texts of others have at most `length` characters. */
export const plain = (text: Text, length = MAX_FOREIGN_LENGTH): string =>
  text.map((part) => (typeof part === 'string' ? part : foreignText(part.foreign, length))).join('');

/** The paragraphs, and how many causes had no message of their own. */
export const linesOf = ({ lines, more }: Message): readonly Text[] =>
  more > 0 ? [...lines, [`and ${figure(more)} more`]] : lines;

/** A row of a section as one line. */
export const rowText = ({ label, value }: Row): Text => (value === '' ? label : [...label, ': ', value]);

/** The name of the notice, in small print. */
export const sourceOf = ({ notice }: Message): Text => ['Sent by the notice ', { foreign: notice }];

/**
 * Writes with texts of others as long as the limit of the channel allows. Ends of longer ones are replaced by an
 * ellipsis.
 */
export function fitted(
  limit: number,
  write: (length: number) => string,
  sizeOf = (body: string) => body.length,
): string {
  const written = LENGTHS.map((length) => () => write(length));
  return written.reduce((body, next) => (body === '' || sizeOf(body) > limit ? next() : body), '');
}

const LENGTHS = [MAX_FOREIGN_LENGTH, 100, 50, 25, 12];

/** Escapes the Markdown of Discord and of Adaptive Cards: a backslash makes punctuation literal in both. */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/[\\*_~`|<>()[\]{}&#]/g, '\\$&')
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)\./, '$1\\.');
