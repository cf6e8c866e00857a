/** Hints for a search without a match: a filter with a typing error, and a word that is not a filter. */
import { readLine, type Tokens } from '../../../ui/form/query-line.ts';

/** The line with the names of filters that were probably meant: `statsu:301` for `status:301`. Undefined if it has none. */
export function meantBy(tokens: Tokens, line: string): string | undefined {
  const meant = line.replace(/(?<=^|\s|-)(\w+):(?=[^\s/])/g, (typed, name: string) => {
    const near = Object.keys(tokens).find((each) => isOneEditAway(name.toLowerCase(), each));
    return near ? `${near}:` : typed;
  });
  return meant !== line && readLine(tokens, meant, true).problem === undefined ? meant : undefined;
}

/** One letter is added, missing or wrong, or two are swapped. */
function isOneEditAway(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [x, y] = [a.slice(at), b.slice(at)];
  const [first = '', second = ''] = x;
  const isSwapped = second + first + x.slice(2) === y;
  return x !== y && (isSwapped || x.slice(1) === y || x === y.slice(1) || x.slice(1) === y.slice(1));
}

/** The name in the first word such as `hits:>5` if it is not a filter. A URL has none. */
export function unknownFilter(tokens: Tokens, line: string): string | undefined {
  const name = /(?:^|\s)-?(\w+):(?!\/\/)/.exec(line)?.[1];
  return name === undefined || name in tokens ? undefined : name;
}
