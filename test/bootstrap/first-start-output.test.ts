import { expect, test, vi } from 'vitest';
import { printCredentials } from '../../src/bootstrap/first-start-output.ts';
import { loadConfig } from '../../src/platform/config/config.ts';

test('a generated password is printed, never one of OWNER_PASSWORD, and the file is to be deleted', () => {
  const credentials = {
    base_url: '',
    email: 'a@example.com',
    password: 'made-or-given',
    api_key: 'k',
    website_id: 1,
    hosts: [],
  };
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  printCredentials(credentials, loadConfig({}));
  printCredentials(credentials, loadConfig({ OWNER_PASSWORD: credentials.password }));
  const [generated, given] = print.mock.calls.map(([text]) => String(text));
  print.mockRestore();
  expect(generated).toContain('made-or-given');
  expect(given).not.toContain('made-or-given');
  expect(given).toContain('delete this file');
});
