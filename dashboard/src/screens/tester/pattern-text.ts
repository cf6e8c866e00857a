/** Why one pattern has precedence over another, and what the groups of a pattern captured. */

interface Pattern {
  old_path: string;
}

/** A character that a pattern matches as it is: not part of a group, and not repeated. */
const LITERAL = /^(?:\\([^\w])|([^\\^$.*+?()[\]{}|]))(?![*+?{])/;

/** The text that all paths of a pattern begin with: `^/blog/(.+)` has `/blog/`. */
export function fixedBeginning(pattern: string): string {
  let rest = pattern.replace(/^\^/, '');
  let beginning = '';
  for (let found = LITERAL.exec(rest); found; found = LITERAL.exec(rest)) {
    beginning += found[1] ?? found[2] ?? '';
    rest = rest.slice(found[0].length);
  }
  return rest.startsWith('|') ? '' : beginning;
}

/** Names both beginnings if they decide, otherwise what does. */
export function whyLonger(winner: Pattern, beaten: Pattern): string {
  const [long, short] = [fixedBeginning(winner.old_path), fixedBeginning(beaten.old_path)];
  if (short !== '' && long.length > short.length)
    return `Lower precedence: the beginning ${long} is longer than ${short}`;
  if (long.length === short.length && winner.old_path.length > beaten.old_path.length)
    return `Lower precedence: both begin with ${long}, and the other pattern is longer`;
  return 'Lower precedence: the longer fixed beginning wins, then the longer pattern';
}

/** Longer paths, and groups that repeat, may take a browser too long. */
const MAX_PATH = 300;
const REPEATED_GROUP = /\)[*+{]/;

/** The groups of a pattern in a path that it matches, such as `$1 = red`; empty if the browser cannot tell. */
export function capturedGroups(pattern: string, path: string, isCaseSensitive: boolean): string[] {
  if (path.length > MAX_PATH || REPEATED_GROUP.test(pattern)) return [];
  try {
    const script = pattern.replaceAll('(?P<', '(?<');
    const [, ...groups] = new RegExp(`^(?:${script})$`, isCaseSensitive ? 'u' : 'iu').exec(path) ?? [];
    return groups.flatMap((text: string | undefined, at) => (text === undefined ? [] : [`$${at + 1} = ${text}`]));
  } catch {
    // A syntax that only the service has.
    return [];
  }
}
