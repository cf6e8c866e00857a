import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');

test('compiled code lies beside the packages, in the folder that the image makes writable', () => {
  const module = join(ROOT, 'src', 'platform', 'process', 'compile-cache.ts');
  const code = `import { cacheCompiledCode } from ${JSON.stringify(module)}; console.log(cacheCompiledCode())`;
  const env = { PATH: process.env['PATH'] };
  const folder = execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' });
  expect(folder.trim()).toBe(join(ROOT, 'node_modules', '.cache', 'detour'));
});
