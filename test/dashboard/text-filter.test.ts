import { expect, test, vi } from 'vitest';
import { completed } from '../../dashboard/src/ui/form/text-filter.tsx';

// The names come from modules that read the address of the page.
vi.hoisted(() => {
  const nothing = () => {};
  const document = { querySelector: nothing, addEventListener: nothing };
  const location = new URL('http://localhost/');
  Object.assign(globalThis, {
    location,
    history: { state: null, replaceState: nothing },
    document,
    addEventListener: nothing,
  });
});

const PEOPLE = ['maria@example.com', 'mark@example.com', 'mark@example.com.au', 'Nightly import'];

test.each([
  ['maria', 'maria@example.com'],
  ['NIGHT', 'Nightly import'],
  ['mark@example.com', 'mark@example.com'],
  ['mar', 'mar'],
  ['tom', 'tom'],
  ['', ''],
])('%j means %j', (text, person) => {
  expect(completed(text, PEOPLE)).toBe(person);
});
