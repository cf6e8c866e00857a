import { afterEach, expect, test, vi } from 'vitest';
import { type ImportProgress, watchImport } from '../../dashboard/src/screens/import/watch-import.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the progress of an import is read from the list, where one that does not exist yet is no error', async () => {
  vi.useFakeTimers();
  const urls: string[] = [];
  let imports: unknown[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    urls.push(url);
    return Promise.resolve(new Response(JSON.stringify({ imports })));
  });
  const ended = new AbortController();
  const seen: ImportProgress[] = [];
  void watchImport({ id: 'imp_1', website_id: 7 }, 100, ended.signal, (progress) => seen.push(progress));
  await vi.advanceTimersByTimeAsync(800);
  expect([urls, seen]).toEqual([['/api/imports?website_id=7&limit=10'], []]);
  imports = [{ id: 'imp_2' }, { id: 'imp_1', progress: { received: 3, bytes: 40 } }];
  await vi.advanceTimersByTimeAsync(700);
  expect(seen).toEqual([{ phase: 'reading', done: 40, of: 100, rows: 3 }]);
  ended.abort();
});
