import { z } from 'zod';
import { listOf } from '../../../http/wire/fields.ts';

/** Input of a file that was ignored or converted, in the answers of all imports of files. */
export const ImportNotice = z.object({
  code: z.string().describe('The kind of notice, such as `COLUMN_IGNORED`.'),
  column: z.string().describe('The column of the file, or the option of the website.'),
  value: z
    .string()
    .optional()
    .describe(
      'Of an option: the value with which the website does as the tool; if rows want several values that it has not, the one that most of them want.',
    ),
  count: z.int().describe('The number of rows or cells; of an option, the rows that want `value`.'),
  current: z.string().optional().describe('Of an option: the value that the website has.'),
  sides: listOf(
    'Of an option: each value that rows want, that of the website too, most rows first. Read all before you change the option.',
    {
      value: z.string().describe('The value of the option.'),
      count: z.int().describe('The number of rows that want it.'),
      lines: z.array(z.int()).describe('The lines of the first 20 of them.'),
    },
  ).optional(),
});
