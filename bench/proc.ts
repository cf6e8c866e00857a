/** CPU time and memory of other processes, from /proc (Linux only). */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: Linux reports CPU time to programs in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the CPU time of the main thread in microseconds. */
export function mainThreadCpu(pid: number): number {
  return cpuOf(fieldsOf(`/proc/${pid}/task/${pid}/stat`));
}

/** Returns the CPU time of each thread in microseconds, by name of the thread. The main thread is `main`. */
export function threadCpu(pid: number): Record<string, number> {
  const threads: Record<string, number> = {};
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const file = `/proc/${pid}/task/${id}/stat`;
    const name = id === String(pid) ? 'main' : (/\((.*)\)/.exec(readFileSync(file, 'utf8'))?.[1] ?? id);
    threads[name] = (threads[name] ?? 0) + cpuOf(fieldsOf(file));
  }
  return threads;
}

/** Returns the CPU time of a process, its descendants and those that have exited, in microseconds. */
export function treeCpu(pid: number): number {
  let sum = 0;
  for (const { fields } of treeOf(pid)) sum += cpuOf(fields) + (Number(fields[13]) + Number(fields[14])) * TICK_US;
  return sum;
}

/** Returns the memory of a process and its descendants in bytes. Divides shared pages by their users (PSS). */
export function treePss(pid: number): number {
  let sum = 0;
  for (const { id } of treeOf(pid)) {
    sum += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1]) * 1024;
  }
  return sum;
}

function treeOf(pid: number): { id: number; fields: string[] }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ id: Number(name), fields: fieldsOf(`/proc/${name}/stat`) }];
      } catch {
        return []; // It has exited.
      }
    });
  const tree = new Set([pid]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const { id, fields } of all) if (tree.has(Number(fields[1]))) tree.add(id);
  }
  return all.filter(({ id }) => tree.has(id));
}

/** Returns VmRSS in bytes. */
export function rss(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** The fields of a stat file after the name, which may contain spaces: state, parent, and so on. */
function fieldsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function cpuOf(fields: string[]): number {
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
