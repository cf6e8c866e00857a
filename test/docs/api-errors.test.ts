import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STATUS } from '../../src/http/status.ts';
import { ERROR_CODES } from '../../src/vocabulary/error.ts';

const API = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');

/** The lines that docs/api.md must have below its heading. On a difference, copy the expected lines there. */
function errorTable(): string[] {
  return Object.entries(STATUS).map(([code, status]) => {
    const [, when = ''] = Object.entries(ERROR_CODES).find(([name]) => name === code) ?? [];
    return `| \`${code}\` | ${status} | ${when} |`;
  });
}

test('docs/api.md lists every error code with its status and meaning, and no other', () => {
  const [, section = ''] = API.split('## Error codes\n');
  const listed = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(listed.toSorted()).toEqual(errorTable().toSorted());
});
