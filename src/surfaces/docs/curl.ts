import type { TableRoute } from '../../http/route-table.ts';
import { audienceOf } from './operation-errors.ts';
import type { Example, OperationText } from './operation-text.ts';

/** The example as a curl line for a shell: sessions in cookies.txt, as signing in leaves them there, keys in $DETOUR_KEY. */
export function curlOf(
  route: TableRoute,
  { id, example = {} }: OperationText,
  { publicUrl }: { publicUrl: string },
): string {
  const parts = [
    `curl${route.method === 'GET' || example.form ? '' : ` -X ${route.method}`} ${quoted(publicUrl + addressOf(route.url, example))}`,
    ...credentials(route, id),
    ...payload(example),
  ];
  return parts.join(' \\\n  ');
}

/** Path and query of the example; what it leaves out of the path stays to be filled in. */
export function addressOf(url: string, { path = {}, query = {} }: Example): string {
  const filled = url.replace(/:(\w+)/g, (_, name: string) => String(path[name] ?? `{${name}}`));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}

function credentials({ url, config }: TableRoute, id: string): string[] {
  if (id === 'signIn' || id === 'signUp') return ['-c cookies.txt'];
  if (config.public) return [];
  return audienceOf(url) === 'key' ? ['-H "Authorization: Bearer $DETOUR_KEY"'] : ['-b cookies.txt'];
}

function payload({ body, form }: Example): string[] {
  if (form) {
    const fields = Object.entries(form.fields ?? {}).map(([name, value]) => `-F ${name}=${value}`);
    return [`-F file=@${form.file.name}`, ...fields];
  }
  if (body === undefined) return [];
  return [`-H 'Content-Type: application/json'`, `-d ${quoted(shown(body))}`];
}

/** On one line where it fits there. */
function shown(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= 60 ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
}

/** Single quotes keep everything but themselves from the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
