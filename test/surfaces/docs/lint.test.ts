import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';

const REDOCLY = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js');

test('the document passes the recommended rules of Redocly without errors or warnings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detour-openapi-'));
  const detour = await startTestApp({ env: { PUBLIC_URL: 'https://redirects.acme.test' } });
  try {
    const { body } = await detour.call('GET', '/openapi.json');
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(JSON.parse(body), null, 1));
    const lint = promisify(execFile)(process.execPath, [REDOCLY, 'lint', '--format=json', 'openapi.json'], {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    // With errors the exit status is 1; the output is the same.
    const { stdout } = await lint.catch((error: { stdout: string }) => error);
    expect(JSON.parse(stdout)).toMatchObject({
      totals: { errors: 0, warnings: 0, ignored: 0 },
      problems: [],
    });
  } finally {
    await detour.close();
    rmSync(folder, { recursive: true });
  }
}, 120_000);
