import { expect, test } from 'vitest';
import { keyDialect, sessionDialect } from '../../../../src/surfaces/resources/dialect.ts';
import { readImportOptions } from '../../../../src/surfaces/resources/imports/import-options.ts';

const read = (query: object, form: Record<string, string> = {}) =>
  readImportOptions(query, new Map(Object.entries(form)), sessionDialect);

test('omitted options have their defaults', () => {
  expect(read({})).toEqual({
    websiteId: undefined,
    onConflict: 'skip',
    dryRun: false,
    addSlash: false,
    wildcards: undefined,
    defaults: { groupId: undefined, environments: undefined },
    ignoreUnknown: false,
    columns: {},
    report: false,
    importId: undefined,
  });
});

test('the id of a website of the key API is a string, which is the id of no website if it is not a number', () => {
  const ofKey = (id: string) => readImportOptions({ website_id: id }, new Map(), keyDialect).websiteId;
  expect(ofKey('3')).toBe(3);
  expect(() => ofKey('x')).toThrow(expect.objectContaining({ code: 'WEBSITE_NOT_FOUND' }));
});

test('options may be in the query, in the form, or equal in both', () => {
  expect(read({ website_id: '3', dry_run: 'true' }, { report: 'true', dry_run: 'true' })).toMatchObject({
    websiteId: 3,
    dryRun: true,
    report: true,
  });
});

test.each([
  [{ dry_run: 'true' }, { dry_run: 'false' }, 'dry_run: has two values'],
  [{ on_conflict: 'replace' }, {}, 'on_conflict: must be skip or update'],
  [{ report: 'true' }, {}, 'report: requires dry_run=true'],
  [{ add_slash: 'yes' }, {}, 'add_slash: must be true or false'],
  [{ website_id: 'x' }, {}, 'website_id: must be an integer'],
  [{ wildcards: 'refuse' }, {}, 'wildcards: must be convert or literal'],
  [{ import_id: 'imp_1' }, {}, 'import_id: must be imp_'],
  [{ columns: '[1]' }, {}, 'columns: must be a JSON object'],
])('the query %j with the form %j is rejected: %s', (query, form, message) => {
  expect(() => read(query, form as Record<string, string>)).toThrow(message);
});

test.each([
  ['', []],
  ['staging', ['staging']],
  ['staging, development', ['staging', 'development']],
])('target_environments %j are %j', (target_environments, environments) => {
  expect(read({ target_environments, group_id: 'relaunch' }).defaults).toEqual({ groupId: 'relaunch', environments });
});

test('an unknown form field is rejected by name', () => {
  expect(() => read({}, { colour: 'red' })).toThrow('The form has an unknown field');
});
