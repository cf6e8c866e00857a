/** Holds the rules of src/overview/item.ts. */
import { expect, test } from 'vitest';
import { boundedItems, itemOf, sortedItems } from '../../src/overview/item.ts';

test('items are sorted by severity, then name of the website, then environment', () => {
  const names = new Map([
    [1, 'Zoo'],
    [2, 'apples'],
  ]);
  const items = [
    itemOf({ kind: 'redirect.starts_soon', count: 1, websiteId: 2 }),
    itemOf({ kind: 'deployment.failed', count: 1, websiteId: 1, environment: 'production' }),
    itemOf({ kind: 'deployment.failed', count: 1, websiteId: 2, environment: 'staging' }),
    itemOf({ kind: 'deployment.failed', count: 1, websiteId: 2, environment: 'production' }),
    itemOf({ kind: 'quota.near', count: 1 }),
    itemOf({ kind: 'deployment.gated', count: 1, websiteId: 1, environment: 'production' }),
  ];
  expect(sortedItems(items, names).map(({ kind, websiteId, environment }) => [kind, websiteId, environment])).toEqual([
    ['deployment.gated', 1, 'production'],
    ['deployment.failed', 2, 'production'],
    ['deployment.failed', 2, 'staging'],
    ['deployment.failed', 1, 'production'],
    ['quota.near', null, null],
    ['redirect.starts_soon', 2, null],
  ]);
});

test('of a kind and website there are 20 items, and the last one counts the rest', () => {
  const hooks = (count: number) =>
    Array.from({ length: count }, (_, n) => itemOf({ kind: 'webhook.failing', count: 1, subject: `hook ${n}` }));
  expect(boundedItems(hooks(20))).toEqual(hooks(20));
  const bounded = boundedItems(hooks(50));
  expect(bounded).toHaveLength(20);
  expect(bounded.at(-2)).toMatchObject({ subject: 'hook 18', count: 1 });
  expect(bounded.at(-1)).toEqual(itemOf({ kind: 'webhook.failing', count: 31 }));
});
