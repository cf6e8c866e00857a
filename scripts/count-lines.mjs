// Prints the files and lines of each room of src and dashboard/src, and the change since a commit.
// Usage: node scripts/count-lines.mjs [commit]. Without one: since the last commit of the day before the newest.
import { execFileSync } from 'node:child_process';

const SOURCE = /\.(ts|tsx|css)$/;

function git(...args) {
  return execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  }).trim();
}

/** A shallow clone may not have it. */
function dayBefore() {
  const newest = Number(git('log', '-1', '--format=%ct'));
  return git('rev-list', '-1', `--before=${newest - 86_400}`, 'HEAD') || git('rev-parse', 'HEAD');
}

/** Files and lines by room of a commit. A file of src itself is in the room `src`. */
function rooms(commit) {
  const counts = new Map([['all', { files: 0, lines: 0 }]]);
  // An empty string matches every line of text files.
  const lines = git('grep', '-c', '', commit, '--', 'src', 'dashboard/src').split('\n');
  for (const line of lines) {
    const [, path, count] = line.match(/^[^:]+:(.+):(\d+)$/) ?? [];
    if (!path || !SOURCE.test(path)) continue;
    const room = path.startsWith('dashboard/') ? 'dashboard' : (path.match(/^src\/([^/]+)\//)?.[1] ?? 'src');
    // Style sheets have a budget of their own.
    for (const name of path.endsWith('.css') ? ['css'] : ['all', room]) {
      const sum = counts.get(name) ?? { files: 0, lines: 0 };
      counts.set(name, { files: sum.files + 1, lines: sum.lines + Number(count) });
    }
  }
  return counts;
}

const since = process.argv[2] ?? dayBefore();
const before = rooms(since);
const now = rooms('HEAD');
console.log(`lines of src and dashboard/src, and the change since ${git('rev-parse', '--short', since)}`);
const names = [...new Set([...now.keys(), ...before.keys()])];
for (const name of names.toSorted((a, b) => (now.get(b)?.lines ?? 0) - (now.get(a)?.lines ?? 0))) {
  const { files = 0, lines = 0 } = now.get(name) ?? {};
  const change = lines - (before.get(name)?.lines ?? 0);
  console.log(
    `${name.padEnd(16)}${String(files).padStart(5)} files${String(lines).padStart(8)} lines  ${change > 0 ? '+' : ''}${change}`,
  );
}
