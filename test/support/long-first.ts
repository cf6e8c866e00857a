import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, or wait much. They start first, so that no worker runs one alone at the end. */
const LONG: Record<string, string[]> = {
  integration: ['contract/openapi', 'fuzz/api'],
  system: [
    'every-screen',
    'servers-agree',
    'process.test',
    'account.test',
    'cli/packed',
    'server-sync',
    'first-start',
    'embedded-postgres',
    'silent-connections',
    'redirects-as-code',
    'editor.test',
  ],
};

/** Keeps the order of the projects, because a worker that changes between them loads all modules again. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const place = new Map(sorted.map((file) => [file, 10 * projects.indexOf(file.project) + rank(file)]));
    return sorted.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  }
}

/** Users of the shared service are next to each other: it stops soon after the last one (sharedTestDetour). */
function rank({ project, moduleId }: TestSpecification): number {
  if (LONG[project.name]?.some((name) => moduleId.includes(name))) return 0;
  return readFileSync(moduleId, 'utf8').includes('sharedTestDetour') ? 1 : 2;
}
