/** Targets of nginx: text with `$1`, `$request_uri` and the variables of the query. */
import type { Issue } from '../../../../vocabulary/error.ts';
import type { SearchedPattern } from '../search-pattern.ts';
import { inexact } from '../statement.ts';
import { type TargetPart, WHOLE, writeWithWhole } from '../target-parts.ts';

const QUERY = /(?:\$is_args\$args|\$is_args\$query_string|\?\$args|\?\$query_string|&\$args|&\$query_string)(?=#|$)/;
const HOST = /^(?:https?|\$scheme):\/\/\$(?:host|http_host|server_name)(?=[/$])/;

/** `appends`: the directive passes the query on by itself unless the target ends with `?`, as rewrite does. */
export function nginxTarget(written: string, searched: SearchedPattern, appends: boolean) {
  let text = written.replace(HOST, '').replace(/^\$scheme:/, 'https:');
  const hasOwnHost = HOST.test(written) && !written.startsWith('$scheme');
  const isWhole = /\$request_uri$/.test(text);
  const isPassed = QUERY.test(text) || isWhole || (appends && !text.endsWith('?'));
  text = text.replace(QUERY, '').replace(/\$request_uri$/, '$uri');
  if (appends) text = text.replace(/\?$/, '');
  if (!/^(?:\/|https?:\/\/|\$uri)/i.test(text))
    return inexact('the target is no path and no address; begin it with / or https://');
  const parts = partsOf(text);
  if (!Array.isArray(parts)) return parts;
  return { ...writeWithWhole(parts, searched), query: isPassed ? ('pass' as const) : ('drop' as const), hasOwnHost };
}

function partsOf(text: string): TargetPart[] | Issue {
  const parts: TargetPart[] = [];
  for (const [, group, name, plain = ''] of text.matchAll(/\$\{?(\d)\}?|\$\{?(\w+)\}?|([^$]+|\$)/g)) {
    if (group !== undefined) parts.push({ group: Number(group) });
    else if (name === 'uri' || name === 'document_uri') parts.push(WHOLE);
    else if (name !== undefined) return inexact(`the target has the variable $${name}`);
    else parts.push(plain);
  }
  return parts;
}
