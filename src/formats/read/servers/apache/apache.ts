/**
 * An .htaccess or a configuration of Apache: sections, RewriteRules with their conditions, and Redirects. mod_rewrite
 * acts before mod_alias, so that every RewriteRule is tried before any Redirect.
 */
import { isIssue } from '../../../../vocabulary/error.ts';
import { readAlias } from './apache-alias.ts';
import { apacheLines, argumentsOf } from './apache-lines.ts';
import type { Condition } from './apache-conditions.ts';
import { readRewriteRule } from './apache-rewrite.ts';
import type { PhysicalLine } from '../physical-lines.ts';
import {
  type Finding,
  inexact,
  malformed,
  type ServerContext,
  type StatementReader,
  statementText,
} from '../statement.ts';

type State = ReturnType<typeof startState>;

const startState = (context: ServerContext) => ({
  context,
  /** names and arguments of the open sections, in lower case */
  sections: [] as { name: string; argument: string }[],
  base: undefined as string | undefined,
  isEngineOff: false,
  serverName: undefined as string | undefined,
  documentRoot: undefined as string | undefined,
  conditions: [] as (Condition & { text: string })[],
});

export const readApache: StatementReader = async function* (file, context, onRead) {
  const state = startState(context);
  for await (const lines of apacheLines(file, onRead)) {
    yield lines.flatMap((line) => {
      const statement = readLine(line, state);
      return statement ? [{ ...statement, line: line.line }] : [];
    });
  }
  if (state.conditions.length === 0) return;
  const text = statementText(state.conditions.map((condition) => condition.text).join(' '));
  const found = malformed('the conditions at the end of the file have no RewriteRule; add it, or remove them');
  yield [{ line: 1, text, found }];
};

/** Sections that a file may have around all of its statements. */
const TRANSPARENT = new Set(['ifmodule', 'ifdefine', 'ifversion', 'virtualhost', 'directory']);
const MAX_SECTIONS = 100;
const MAX_CONDITIONS = 100;
const REDIRECTS = new Set(['rewriterule', 'redirect', 'redirectmatch', 'redirectpermanent', 'redirecttemp']);

function readLine({ text, problem }: PhysicalLine, state: State) {
  const shown = statementText(text);
  const [, name = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
  const directive = name.toLowerCase();
  if (problem === undefined && REDIRECTS.has(directive)) {
    const conditions = directive === 'rewriterule' ? state.conditions.splice(0) : [];
    const whole = statementText([...conditions.map((condition) => condition.text), shown].join(' '));
    return { text: whole, found: sectionProblem(state) ?? readRedirect(directive, rest, { state, conditions }) };
  }
  const found = problem === undefined ? readOther(name, rest, { shown, text, state }) : malformed(problem);
  return found && { text: shown, found };
}

function readOther(name: string, rest: string, { shown, text, state }: { shown: string; text: string; state: State }) {
  if (text.startsWith('<')) return readSection(text, state);
  const directive = name.toLowerCase();
  if (directive === 'rewritecond') return readCondition(rest, shown, state);
  if (directive === 'rewritebase') [state.base] = argumentsOf(rest);
  else if (directive === 'rewriteengine') state.isEngineOff = /^off$/i.test(rest.trim());
  else if (directive === 'documentroot') [state.documentRoot] = argumentsOf(rest);
  else if (directive === 'servername')
    state.serverName = rest
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/:\d+$/, '')
      .toLowerCase();
  return { ignored: name };
}

function readSection(text: string, { sections }: State): Finding | undefined {
  const [, close = '', name = '', argument = ''] = /^<(\/?)(\w+)\s*([^>]*)>?\s*$/.exec(text) ?? [];
  if (name === '') return malformed('the section cannot be read; write <Name ...>');
  if (close === '') {
    if (sections.length >= MAX_SECTIONS) return malformed('the sections are nested too deeply');
    sections.push({ name: name.toLowerCase(), argument: argument.trim() });
    return undefined;
  }
  if (sections.at(-1)?.name !== name.toLowerCase()) return malformed(`no <${name}> is open here`);
  sections.pop();
  return undefined;
}

/** Why a redirect in the open sections is not one of all requests. */
function sectionProblem({ sections, serverName, documentRoot, context }: State): Finding | undefined {
  if (sections.some(({ name, argument }) => name === 'ifmodule' && argument.startsWith('!')))
    return { ignored: 'IfModule' };
  const around = sections.find(({ name }) => !TRANSPARENT.has(name));
  if (around) return inexact(`it is inside <${around.name}>, which limits it to some requests`);
  const folder = sections.find(({ name }) => name === 'directory')?.argument;
  if (folder !== undefined && documentRoot !== undefined && folderName(folder) !== folderName(documentRoot))
    return inexact(`it is inside the folder ${folder}, and not in the DocumentRoot ${documentRoot}`);
  const isOther = serverName !== undefined && sections.some(({ name }) => name === 'virtualhost');
  return isOther && !context.ownHosts.has(serverName)
    ? inexact(`its ServerName ${serverName} is not a host of this website; import it into the website of that host`)
    : undefined;
}

const folderName = (text: string): string => text.replace(/^"|"$/g, '').replace(/\/$/, '');

function readCondition(rest: string, text: string, { conditions }: State): Finding | undefined {
  const [test, pattern, flags = ''] = argumentsOf(rest);
  if (test === undefined || pattern === undefined)
    return malformed('the condition is incomplete; write RewriteCond, a test string and an expression');
  if (conditions.length >= MAX_CONDITIONS) return malformed('a RewriteRule has at most 100 conditions');
  conditions.push({ test, pattern, flags: flagsOf(flags), text });
  return undefined;
}

const flagsOf = (text: string): string[] =>
  text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((flag) => flag.trim())
    .filter((flag) => flag !== '');

function readRedirect(
  directive: string,
  rest: string,
  { state, conditions }: { state: State; conditions: readonly Condition[] },
): Finding {
  if (directive !== 'rewriterule') return readAlias(directive, rest);
  const [pattern, target, flags = ''] = argumentsOf(rest);
  if (pattern === undefined || target === undefined)
    return malformed('the rule is incomplete; write RewriteRule, an expression and a target');
  const { context, sections, base, isEngineOff } = state;
  const inServer =
    sections.some(({ name }) => name === 'virtualhost') && !sections.some(({ name }) => name === 'directory');
  // A file of no known name may be of a server, where paths have their leading slash.
  const isRelative = !inServer && (/htaccess/i.test(context.fileName) || !/^\^?\/(?!\?)/.test(pattern));
  const found = readRewriteRule({ pattern, target, flags: flagsOf(flags), conditions, base, isRelative }, context);
  if (isEngineOff && !isIssue(found) && 'source' in found)
    return inexact('RewriteEngine is off here; turn it on, or remove the rule');
  return found;
}
