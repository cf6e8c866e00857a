/** Text of users and visitors in mails and messages. */

/** Characters of a text of others that are shown. */
export const MAX_FOREIGN_LENGTH = 200;

/** Follows every character of a text that could make a client see an address or a name in it. */
const BREAK = '\u200b';

/** Dots of a host or an IP address. Browsers read the last three as dots, too. */
const HOST_DOT = /(?<=[^\s/.])[.\u3002\uff0e\uff61](?=[^\s/.])/gu;
/** The colon of `https://`, `mailto:` and other schemes. */
const SCHEME_COLON = /:(?=\/\/)|(?<=[a-z][a-z\d+.-]*):(?=\S)/giu;
/** The first character of a mention or channel, and the middle of an address. */
const MENTION = /[@\uff20#\uff03]/gu;

/**
 * One line without control and invisible characters, at most `length` characters, and never a link or mention: a U+200B
 * follows the colon of a scheme, the dots of a host, `@` and `#`.
 *
 *     see https://evil.example/@all   see https:|//evil.|example/@|all   (| is U+200B)
 */
export function foreignText(text: string, length = MAX_FOREIGN_LENGTH): string {
  const [...characters] = text
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const cut = characters.length > length ? [...characters.slice(0, length - 1), '…'] : characters;
  return cut
    .join('')
    .replaceAll(HOST_DOT, `$&${BREAK}`)
    .replaceAll(SCHEME_COLON, `$&${BREAK}`)
    .replaceAll(MENTION, `$&${BREAK}`);
}
