/** Rows of Drupal's module Redirect, as path_redirect_import reads them. */
import type { Issue } from '../../../../vocabulary/error.ts';
import { show, unsupported } from '../../../rows/cells.ts';
import { appendPairs } from '../../../rows/source.ts';
import type { RowOptions, ToolCells } from './tool-cells.ts';

const FRONT = '<front>';

export function readDrupal({ cell, replace }: ToolCells): RowOptions | Issue {
  const language = cell('language');
  if (!/^(und)?$/i.test(language)) {
    const remedy = 'write the path with the prefix of the language, such as /de/old, and clear the cell';
    return unsupported(`language is ${show(language)}, and a redirect has no language; ${remedy}`);
  }
  const [source = '', query] = cell('old_path').split('?');
  if (source === FRONT) replace('old_path', query === undefined ? '/' : `/?${query}`);
  const target = cell('new_path').replace(/^internal:/, '');
  if (/^(?:<(?!front>)|[a-z]+:(?!\/\/))/i.test(target)) {
    const reason = 'a name inside of Drupal and not an address';
    return unsupported(
      `new_path is ${show(target)}, ${reason}; export the path of the page, such as /about`,
      'new_path',
    );
  }
  const path = target.startsWith(FRONT) ? `/${target.slice(FRONT.length)}` : target;
  // Drupal passes the query of the request on, the pairs that the source requires too.
  replace('new_path', query === undefined || path === '' ? path : appendPairs(path, [query]));
  return { isQueryLoosened: query !== undefined };
}
