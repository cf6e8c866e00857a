import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more. They start first, so that no worker runs one alone at the end. */
const LONG = [
  'image.test',
  'silent-database',
  'silent-imports',
  'starting-together',
  'killed-behind-nginx',
  'full-disk',
  'behind-nginx',
  'backup.test',
  'webhooks-killed',
  'many-hits',
  'export-servers',
  'process.test',
  'database-restart',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONG.some((name) => file.moduleId.includes(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
