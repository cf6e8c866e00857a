import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more. They start first, so that no worker runs one alone at the end. */
const LONG = [
  'every-screen',
  'servers-agree',
  'process.test',
  'account.test',
  'cli/packed',
  'server-sync',
  'first-start',
  'embedded-postgres',
  'silent-connections',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONG.some((name) => file.moduleId.includes(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
