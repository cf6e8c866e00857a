/** Class and group of a pattern; the group without groups inside, and whether it may be absent. */
const CLASS = /\[\^?\]?(?:\\[^]|[^\]\\])*\]/g;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?((?:[^()\\]|\\[^])*)\)([?*]|\{0)?/g;
const QUESTION_MARK = /^(?:[^\\]|\\[^])*?\\\?(?![?*{])/;

/**
 * True if each text that a pattern matches contains `?`, which begins the query: a pattern is compared with the path
 * alone. The tools that search whole addresses write `\?` for it. In a path the character is `%3F`.
 */
export function demandsQuery(pattern: string): boolean {
  let text = pattern.replace(CLASS, '');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(GROUP, (_, inside: string, optional?: string) =>
      optional !== undefined || inside.includes('|') ? '' : inside,
    );
  }
  return alternativesOf(text).every((alternative) => QUESTION_MARK.test(alternative));
}

/** Splits a pattern at the `|` outside of its groups and classes. */
export function alternativesOf(pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of pattern.matchAll(/\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|[^]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (token === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}
