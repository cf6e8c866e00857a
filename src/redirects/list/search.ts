/** The text search of redirects: one substring of a path, in whatever spelling a person copied it. */
import { containing, sql, type SQL } from '../../db/drizzle.ts';
import { absoluteForm, escapePath, hostOfHeader } from '../../resolver/spelling/canonical-path.ts';
import { wildcardsAbove } from '../../resolver/host-table.ts';

/** More words are searched as one text: each of them is compared with every path. */
const MAX_WORDS = 8;

/** Texts that a condition on a row compares with either path, ignoring case. */
interface Search {
  /** any of these texts, each anywhere in a path */
  spellings: string[];
  /** the same for redirects of websites with this host, if the text is a URL */
  onHost?: { hostnames: string[]; spellings: string[] };
}

function searchOf(text: string): Search {
  const url = absoluteForm(text);
  const spellings = spellingsOf(text);
  // Every path contains the path of a home page.
  if (!url || url.host === '' || url.target === '/') return { spellings };
  const host = hostOfHeader(url.host);
  return { spellings, onHost: { hostnames: [host, ...wildcardsAbove(host)], spellings: spellingsOf(url.target) } };
}

function spellingsOf(text: string): string[] {
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const rest = mark < 0 ? '' : text.slice(mark);
  return [...new Set([text, decoded(text), escapePath(path, '%') + rest])];
}

/** Escapes of anything but `%` and the characters that separate the parts of a URL. */
const ESCAPES = /(?:%(?!2[356bf]|3[adf]|40)[0-9a-f]{2})+/gi;

function decoded(text: string): string {
  return text.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/**
 * A condition on `redirects r`: it has the text, or all of its words. Each is also found in its other spellings:
 * `/%C3%BC` and `/ü` find each other. The path of a URL is found in the websites that have its host. It scans the
 * website (0.5 s for 1,000,000 redirects): a trigram index would make the import of as many ten times slower.
 */
export function searchCondition(text: string): SQL {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const whole = matches(searchOf(text));
  if (words.length < 2 || words.length > MAX_WORDS) return whole;
  const each = words.map((word) => matches(searchOf(word)));
  return sql`(${whole} or (${sql.join(each, sql` and `)}))`;
}

function matches({ spellings, onHost }: Search): SQL {
  const anywhere = inEitherPath(spellings);
  if (!onHost) return anywhere;
  const hasHost = sql`r.website_id = any(array(select website_id from website_hosts where hostname = any(${sql.param(onHost.hostnames)}::text[])))`;
  return sql`(${anywhere} or (${hasHost} and ${inEitherPath(onHost.spellings)}))`;
}

function inEitherPath(spellings: string[]): SQL {
  const conditions = spellings.map((spelling) => {
    const pattern = containing(spelling);
    return sql`r.old_path ilike ${pattern} or r.new_path ilike ${pattern}`;
  });
  return sql`(${sql.join(conditions, sql` or `)})`;
}
