/** The element `httpRedirect` of IIS, which redirects everything below a folder, or one page in a `location`. */
import { escapeRegex } from '../../../../resolver/patterns/pattern-syntax.ts';
import { type Finding, inexact, malformed } from '../statement.ts';
import { writeTarget } from '../target-parts.ts';
import { type Element, isTrue, statusNamed } from './iis-rule.ts';

/** IIS applies the rules of URL Rewrite first. */
const LAST_PHASE = 1_000_000_000;

/** `folder`: of the location, '' for the whole website. */
export function readHttpRedirect({ attributes, children }: Element, folder: string): Finding {
  const [destination = '', name = 'Found'] = [attributes.get('destination'), attributes.get('httpResponseStatus')];
  if (children.length > 0) return inexact('a wildcard of httpRedirect cannot be imported; write a rewrite rule');
  if (destination === '') return { ignored: 'httpRedirect' };
  if (!/^(?:\/|https?:\/\/)/i.test(destination))
    return malformed('the destination is neither a path nor an address; write one');
  if (/\$[VQSP]/i.test(destination)) return inexact('a variable in the destination cannot be imported');
  if (isTrue(attributes.get('childOnly'), false)) return inexact('childOnly cannot be imported');
  const statusCode = statusNamed(name);
  if (statusCode === undefined) return malformed(`httpResponseStatus is "${name}"; write one such as Found`);
  const isExact = isTrue(attributes.get('exactDestination'), false);
  const source = { kind: 'pattern', pattern: `^${escapeRegex(folder)}${folder === '' ? '(/.*)' : '(/.*)?'}$` } as const;
  const rest = { kind: 'pattern', pattern: '^/(.*)$' } as const;
  const base = destination.replace(/\/$/, '');
  const parts = isExact ? [destination] : folder === '' ? [`${base}/`, { group: 1 }] : [base, { group: 1 }];
  return {
    ...{ source: folder === '' ? rest : source, target: writeTarget(parts, source), statusCode },
    ...{ query: undefined, ignoresCase: true, phase: LAST_PHASE, conversion: 'CONVERTED_TO_PATTERN' },
    isDisabled: !isTrue(attributes.get('enabled'), false),
  };
}
