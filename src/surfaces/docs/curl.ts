import type { ExampleRequest } from '../../http/route-docs.ts';
import type { TableRoute } from '../../http/route-table.ts';
import { audienceOf } from './route-errors.ts';

/**
 * The example request as a curl command. Sessions are read from cookies.txt, where sign-in stores them; keys from
 * $DETOUR_KEY.
 */
export function curlOf(route: TableRoute, publicUrl: string): string {
  const { example = {}, responseHeaders } = route.schema ?? {};
  const method = route.method === 'GET' || example.form ? '' : ` -X ${route.method}`;
  const setsCookie = route.config.public && responseHeaders?.includes('Set-Cookie');
  return [
    `curl${method} ${quote(publicUrl + exampleUrl(route.url, example))}`,
    ...(setsCookie ? ['-c cookies.txt'] : credentials(route)),
    ...payload(example),
  ].join(' \\\n  ');
}

/** Path and query of the example. Path parameters without an example value stay as `{name}`. */
export function exampleUrl(url: string, { path = {}, query = {} }: ExampleRequest): string {
  const filled = url.replace(/:(\w+)/g, (_, name: string) => String(path[name] ?? `{${name}}`));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}

function credentials(route: TableRoute): string[] {
  if (route.config.public) return [];
  if (audienceOf(route) === 'key') return ['-H "Authorization: Bearer $DETOUR_KEY"'];
  return ['-b cookies.txt', ...(route.url.startsWith('/api/v1/') ? ['-H "X-Detour-Dashboard: 1"'] : [])];
}

function payload({ body, form }: ExampleRequest): string[] {
  if (form) {
    const fields = Object.entries(form.fields ?? {}).map(([name, value]) => `-F ${name}=${value}`);
    return [`-F file=@${form.file.name}`, ...fields];
  }
  if (body === undefined) return [];
  const line = JSON.stringify(body);
  const json = line.length <= 60 ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  return [`-H 'Content-Type: application/json'`, `-d ${quote(json)}`];
}

/** Single quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
