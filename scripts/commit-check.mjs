// Checks commit subjects against the form of CONTRIBUTING.md: `type(scope): verb object`, imperative, at most 72 characters.
import { execFileSync } from 'node:child_process';

// Earlier subjects do not follow the form.
const SINCE = '67529e1';
const BROKEN =
  /^(?!\w+(\([\w/-]+\))?: \S).|^.{73,}$|: (the|an?|what|every|each|one|who|which|its|no|how|nobody|whoever|only|nothing|where)\s/;

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function range() {
  try {
    git('cat-file', '-e', `${SINCE}^{commit}`);
    return [`${SINCE}..HEAD`];
  } catch {
    // A shallow clone has only its newest commits.
    return ['-1', 'HEAD'];
  }
}

const subjects = git('log', '--no-merges', '--format=%s', ...range())
  .split('\n')
  .filter(Boolean);
const broken = subjects.filter((subject) => BROKEN.test(subject));
for (const subject of broken) console.error(`commit subject: ${subject}`);
if (broken.length > 0) {
  console.error('write `type(scope): verb object`, imperative, at most 72 characters (CONTRIBUTING.md)');
  process.exitCode = 1;
}
