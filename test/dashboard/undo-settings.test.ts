import { expect, test, vi } from 'vitest';
import { undoOf } from '../../dashboard/src/screens/activity/undo-settings.ts';

// The websites come from modules that read the address of the page.
vi.hoisted(() => {
  const nothing = () => {};
  const history = { state: null, replaceState: nothing };
  const document = { querySelector: nothing, addEventListener: nothing };
  const location = new URL('http://localhost/');
  Object.assign(globalThis, { location, history, document, addEventListener: nothing });
});

const urls = (details: object) =>
  undoOf({ action: 'urls.changed', target: 'docs', details: { environment: 'staging', ...details } });
const website = (details: Record<string, unknown>) =>
  undoOf({ action: 'website.updated', target: 'Shop (7)', details });

test('options of a website get their former values', () => {
  const details = { before: { query: 'ignore' }, after: { query: 'keep' } };
  expect(website(details)).toEqual({ is: 'values', ...details });
});

test('a list of URLs gets its former version, unless it has a newer one', () => {
  expect(urls({ list_version: 4 })).toEqual({
    is: 'list',
    body: { list: 'docs', environment: 'staging', list_version: 3, if_list_version: 4 },
  });
});

test('other settings, and those whose former value is not in the log, have no undo', () => {
  expect(urls({ list_version: 1 })).toBeUndefined();
  expect(website({ accepted_losses: 3 })).toBeUndefined();
  expect(website({ before: { accepted_losses: 1 }, after: { accepted_losses: 2 } })).toBeUndefined();
  expect(website({ before: {}, after: {} })).toBeUndefined();
  expect(
    undoOf({ action: 'website.hosts_changed', target: 'Shop (7)', details: { before: [], after: [] } }),
  ).toBeUndefined();
});
