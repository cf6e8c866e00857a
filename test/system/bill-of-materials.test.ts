/** `npm run sbom`, as a release attaches it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..');
const Manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });
const Bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(
    z.looseObject({
      name: z.string(),
      purl: z.string(),
      licenses: z.array(z.unknown()).optional(),
    }),
  ),
});

test('the bill of materials has every production dependency with its licence, and no tool of the tests', () => {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const output = execFileSync('npm', ['run', '--silent', 'sbom'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  });
  const { components } = Bill.parse(JSON.parse(output));
  // A purl is `pkg:npm/%40scope/name@version`.
  const listed = components.map(({ purl }) => decodeURIComponent(purl).replace('pkg:npm/', ''));
  const names = (of: Record<string, string>) => Object.entries(of).map(([name, version]) => `${name}@${version}`);
  expect(listed).toEqual(expect.arrayContaining(names(manifest.dependencies)));
  // Other development dependencies may also be those of a production dependency.
  expect(listed.filter((name) => /^(vitest|eslint|prettier|drizzle-kit)@/.test(name))).toEqual([]);
  const unlicensed = components.filter(({ licenses }) => (licenses ?? []).length === 0).map(({ name }) => name);
  expect(unlicensed).toEqual([]);
});
