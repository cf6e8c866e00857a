import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  BlockFileError,
  DRAFT_SUFFIX,
  isAbandonedDraft,
  openBlockFile,
  writeBlockFile,
} from '../../src/platform/block-file.ts';
import { seeded } from '../support/random.ts';

const dir = mkdtempSync(join(tmpdir(), 'detour-blocks-'));
const file = join(dir, 'file');
afterAll(() => rmSync(dir, { recursive: true }));

const NOW = new Date();
const HEAD = '{"ä":1}';
const BLOCKS = [3, 0, 700, 1].map((length, i) => new Uint8Array(length).fill(i + 65));

beforeEach(async () => void (await writeBlockFile(file, HEAD, BLOCKS, NOW)));

async function readBack(): Promise<{ head: string; blocks: Uint8Array[] }> {
  const opened = await openBlockFile(file);
  try {
    const blocks = opened.lengths.map((length) => new Uint8Array(new SharedArrayBuffer(length)));
    await opened.read(blocks);
    return { head: opened.head, blocks };
  } finally {
    await opened.close();
  }
}

test('a file is read as it was written, and only its owner can read it', async () => {
  const { head, blocks } = await readBack();
  expect(head).toBe(HEAD);
  expect(blocks.map((block) => [...block])).toEqual(BLOCKS.map((block) => [...block]));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file of many blocks is read as it was written', async () => {
  const many = Array.from({ length: 3_000 }, (_, i) => new Uint8Array(i % 2_000).fill(i));
  await writeBlockFile(file, '', many, NOW);
  const { blocks } = await readBack();
  expect(blocks.every((block, i) => Buffer.from(block).equals(many[i] ?? block.subarray(1)))).toBe(true);
});

test('each flipped bit, each truncation and each appended byte is an error', async () => {
  const original = readFileSync(file);
  for (let at = 0; at < original.length; at++) {
    const damaged = Buffer.from(original);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(file, damaged);
    await expect(readBack(), `byte ${at}`).rejects.toThrow(BlockFileError);
  }
  for (let length = original.length - 1; length >= 0; length--) {
    writeFileSync(file, original.subarray(0, length));
    await expect(readBack(), `${length} bytes`).rejects.toThrow(BlockFileError);
  }
  writeFileSync(file, Buffer.concat([original, Buffer.alloc(1)]));
  await expect(readBack()).rejects.toThrow('instead of');
});

test('random bytes, also after the right beginning, are an error', async () => {
  const original = readFileSync(file);
  const random = seeded(3);
  for (let run = 0; run < 500; run++) {
    const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 900) }, () => Math.floor(random() * 256)));
    original.copy(bytes, 0, 0, Math.floor(random() * 24));
    writeFileSync(file, bytes);
    await expect(readBack()).rejects.toThrow(BlockFileError);
  }
});

test('a file of a newer format names both formats', async () => {
  const bytes = readFileSync(file);
  bytes.writeUInt32LE(9, 4);
  writeFileSync(file, bytes);
  await expect(readBack()).rejects.toThrow('the file has format 9; this version reads 1, 2, 3');
});

test('a file that another process writes is left to it, until that process has crashed', async () => {
  const draft = file + DRAFT_SUFFIX;
  writeFileSync(draft, 'half');
  expect(await isAbandonedDraft(draft, new Date())).toBe(false);
  expect(await writeBlockFile(file, 'other', [], new Date())).toBe(false);
  expect((await readBack()).head).toBe(HEAD);

  const old = new Date(Date.now() - 120_000);
  utimesSync(draft, old, old);
  expect(await writeBlockFile(file, 'other', [], new Date())).toBe(false); // removes the draft
  expect(await writeBlockFile(file, 'other', [], new Date())).toBe(true);
  expect((await readBack()).head).toBe('other');
});

test('a failed write leaves the former file and no draft', async () => {
  const changing = new Uint8Array(8);
  const unreadable = [changing, null as unknown as Uint8Array];
  await expect(writeBlockFile(file, 'other', unreadable, NOW)).rejects.toThrow();
  expect((await readBack()).head).toBe(HEAD);
  expect(() => statSync(file + DRAFT_SUFFIX)).toThrow('ENOENT');
});

test('a file that is truncated while it is read is an error', async () => {
  const opened = await openBlockFile(file);
  truncateSync(file, 100);
  const blocks = opened.lengths.map((length) => new Uint8Array(length));
  await expect(opened.read(blocks)).rejects.toThrow('truncated');
  await opened.close();
});
