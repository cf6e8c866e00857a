// Checks texts against the language rules of CONTRIBUTING.md: `node scripts/language-check.mjs [paths]`.
// Lists each match as file:line, and ends with 1 if there are any.
import { globSync, readFileSync, statSync } from 'node:fs';

const RULES = [
  /\b([Nn]obody|[Ww]hoever|([Ss]ome|[Aa]ny|[Ee]very)body)\b|\b(is|are|be|was) none\b|\bbut for\b/,
  /(\/\*\*|\/\/) (What|Where|Who|Whose|So|Of) |\bwhere (it|they|there|that|none|nothing|neither|one) (is|are|was|has|had|can|does)\b/,
  /\b(at hand|under way|half-way|anew|in vain|dearer?|read past|put aside|take turns|stands? twice|[Hh]ears|mends?)\b/,
  /\b(is|are) told\b|\btells (it|them|what|how|which|whether)\b|\b(give|gives|given) back\b|\bof people\b/,
];
// Recorded responses and fixtures are data; the Unix user "nobody" is a name.
const EXCLUDED =
  /node_modules|^dist\/|^migrations\/|^test\/fixtures\/|package-lock|(language|commit)-check\.mjs|\.data\//;
const ALLOWED = /'nobody'|user nobody|`nobody`|a Secret to Everybody/;
const MAX_MARKDOWN_COLUMNS = 120;

const roots = process.argv.slice(2);
const patterns =
  roots.length > 0 ? roots : ['src', 'test', 'dashboard', 'bench', 'docs', 'scripts', '*.md', '*.ts', '.ci/run'];
const files = patterns
  .flatMap((pattern) => globSync(pattern))
  .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.{ts,tsx,mjs,js,md,css,html}`) : [path]))
  .filter((file) => !EXCLUDED.test(file));

let matches = 0;
function report(file, number, text) {
  matches++;
  console.error(`${file}:${number}: ${text.trim().slice(0, 160)}`);
}

for (const file of new Set(files)) {
  const isMarkdown = file.endsWith('.md');
  let isCode = false;
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, at) => {
      if (isMarkdown && line.startsWith('```')) isCode = !isCode;
      if (RULES.some((rule) => rule.test(line)) && !ALLOWED.test(line)) report(file, at + 1, line);
      // A table row and a link cannot be wrapped.
      const canWrap = isMarkdown && !isCode && !line.trimStart().startsWith('|') && !/\]\(\S+\)\S*$/.test(line);
      if (canWrap && line.length > MAX_MARKDOWN_COLUMNS)
        report(file, at + 1, `longer than ${MAX_MARKDOWN_COLUMNS} columns`);
    });
}
if (matches > 0) {
  console.error(`${matches} lines break the language rules of CONTRIBUTING.md`);
  process.exitCode = 1;
}
