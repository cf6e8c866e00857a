/** The values of a pattern such as `/websites/:websiteId/redirects`; undefined where the path is another one. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  const wanted = pattern.split('/');
  if (parts.length !== wanted.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = parts[at] ?? '';
    if (part.startsWith(':') && value !== '') values[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return values;
}
