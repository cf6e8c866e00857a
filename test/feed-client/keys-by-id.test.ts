import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeysById } from '../../src/feed-client/keys-by-id.ts';

const anyKey = fc.oneof(
  fc.string().map((text) => `/${text}`),
  fc.constant(`/${'long-'.repeat(400)}`),
  fc.constant('/café/☃/(.*)'),
);
/** Ids that share buckets, and some far apart. */
const anyId = fc.oneof(
  fc.integer({ min: 1, max: 3 }),
  fc.integer({ min: 1, max: 4 }).map((n) => 5 + n * 4_096),
  fc.constant(2 ** 48 + 5),
);

test('it holds what a Map holds', () => {
  const step = fc.record({ id: anyId, key: fc.option(anyKey, { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const keys = createKeysById();
      const model = new Map<number, string>();
      for (const { id, key } of steps) {
        expect(keys.get(id)).toBe(model.get(id));
        expect(keys.remove(id)).toBe(model.get(id));
        model.delete(id);
        if (key === undefined) continue;
        keys.add(id, key);
        model.set(id, key);
      }
      for (const [id, key] of model) expect(keys.get(id)).toBe(key);
    }),
  );
});
